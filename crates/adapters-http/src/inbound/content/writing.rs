//! `/content`: texts that are written for those who send.

use actix_web::web::Data;
use domain::content::writing::{
    GenerateRequest, RewriteRequest, Style, TranslateRequest, Writer, Written,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    content::issues::IssueView,
    shared::{
        answers::Answer,
        body::Body,
        caller::Member,
        endpoint::{Area, post},
        error::ApiError,
        formats::{Names, Vocabulary},
        hang_up::Connection,
        json_fields::{Field, Fields, FromFields, field},
    },
};

const CHECKED: &str = "The text has the placeholders that were asked for, and no others; it is never \
                       handed out otherwise. Nothing of it is kept. A model writes at most two texts of \
                       an organization at a time.";
const NO_WRITER: &str = "There is no language model for this language: \
                         `CONTENT_WRITER_NOT_CONFIGURED`; or try again soon: `SERVICE_UNAVAILABLE`.";

pub(super) fn area() -> Area {
    Area {
        name: "Content",
        about: "Texts, written by a language model where one is configured, and else by rules.",
        endpoints: vec![
            post("/content/generate", "generateContent", generate)
                .extension()
                .summary("Write a new text.")
                .description(CHECKED)
                .answers("The text, with what a check of it finds.")
                .fails(503, NO_WRITER),
            post("/content/rewrite", "rewriteContent", rewrite)
                .extension()
                .summary("Write a text in other words.")
                .description(CHECKED)
                .answers("The text, with what a check of it finds."),
            post("/content/translate", "translateContent", translate)
                .extension()
                .summary("Write a text in another language.")
                .description(CHECKED)
                .answers("The text, with what a check of it finds.")
                .fails(503, NO_WRITER),
        ],
    }
}

type WriterName = Names<Writer>;

impl Vocabulary for Style {
    const TITLE: &'static str = "ContentStyle";
    const DESCRIPTION: &'static str = "How a text is to sound.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Writer {
    const TITLE: &'static str = "ContentWriter";
    const DESCRIPTION: &'static str =
        "Who wrote: a language model, or rules, which know some English and no more.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const fn category() -> Field {
    field("category").about("What it is about; `TRANSACTIONAL` if absent.")
}

const fn max_segments() -> Field {
    field("maxSegments")
        .about(
            "Of an SMS: how many parts it may take. If it takes more all the same, `notes` say so.",
        )
        .limits(&[("minimum", 1), ("maximum", 10)])
        .extension()
}

const fn message() -> Field {
    field("message")
        .about("The text. `{{name}}` stands for a value.")
        .limits(&[("minLength", 1), ("maxLength", 10_000)])
}

const fn channel() -> Field {
    field("channel").about("How it is to travel.").extension()
}

impl FromFields for GenerateRequest {
    const NAME: &'static str = "GenerateContentRequest";
    const ABOUT: &'static str = "A text to write.";

    fn from_fields(fields: &mut Fields) -> Self {
        let goal = field("goal")
            .about("What the text is to achieve, in words. For an SMS at most 600 characters.")
            .limits(&[("minLength", 1), ("maxLength", 2_000)]);
        let channel = field("channel").about("How it is to travel.");
        let language = field("language")
            .about("Its language, as a code or by name; `en` if absent.")
            .limits(&[("maxLength", 40)]);
        let tone = field("tone")
            .about("How it is to sound. Rules know the styles of `/content/rewrite`.")
            .limits(&[("maxLength", 40)]);
        let variables = field("variables")
            .about("The names of its placeholders: it has all of them.")
            .limits(&[("maxItems", 100)]);
        Self {
            goal: fields.required(goal),
            channel: fields.required(channel),
            category: fields.optional(category()),
            language: fields.optional(language),
            tone: fields.optional(tone),
            variables: fields.optional(variables),
            max_segments: fields.optional(max_segments()),
        }
    }

    fn example() -> Value {
        json!({
            "goal": "Remind patients about their appointment on {{date}}", "channel": "SMS",
            "category": "REMINDER", "tone": "friendly", "variables": ["firstName", "date"],
        })
    }
}

impl FromFields for RewriteRequest {
    const NAME: &'static str = "RewriteContentRequest";
    const ABOUT: &'static str = "A text to write in other words.";

    fn from_fields(fields: &mut Fields) -> Self {
        let style = field("style").about("How it is to sound.");
        Self {
            message: fields.required(message()),
            style: fields.required(style),
            channel: fields.optional(channel()),
            category: fields.optional(category().extension()),
            max_segments: fields.optional(max_segments()),
        }
    }

    fn example() -> Value {
        json!({
            "message": "Dear {{name}}, kindly note that your order is ready – please collect it",
            "style": "friendly", "channel": "SMS", "maxSegments": 1,
        })
    }
}

impl FromFields for TranslateRequest {
    const NAME: &'static str = "TranslateContentRequest";
    const ABOUT: &'static str = "A text to write in another language.";

    fn from_fields(fields: &mut Fields) -> Self {
        let target = field("targetLanguage")
            .about("The language that is wanted, as a code or by name.")
            .limits(&[("minLength", 1), ("maxLength", 40)]);
        let source = field("sourceLanguage")
            .about("The language in which it is written, as a code or by name.")
            .limits(&[("maxLength", 40)]);
        Self {
            message: fields.required(message()),
            target_language: fields.required(target),
            source_language: fields.optional(source),
            channel: fields.optional(channel()),
            category: fields.optional(category().extension()),
        }
    }

    fn example() -> Value {
        json!({ "message": "Hello {{name}}, your order is ready", "targetLanguage": "tw" })
    }
}

/// A text, with what a check of it finds.
#[derive(Serialize, ToSchema)]
#[schema(as = Content)]
#[serde(rename_all = "camelCase")]
struct ContentView {
    #[schema(example = "Hi {{firstName}}, this is a reminder about your appointment on {{date}}.")]
    message: String,
    /// The subject of a new mail, or the title of a new notification.
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(value_type = WriterName)]
    writer: &'static str,
    /// What the writer could not do.
    #[schema(example = json!([]))]
    notes: Vec<String>,
    /// How risky it is, 0 to 100.
    #[schema(example = 0)]
    risk_score: u8,
    /// What was found in it, heaviest first.
    issues: Vec<IssueView>,
    /// Whether the score is 30 or more.
    requires_approval: bool,
    /// How many parts it takes as a text message, as long as its placeholders are not filled.
    #[schema(example = 1)]
    segments: u16,
    /// The alphabet in which a text message carries it, `GSM-7` or `UCS-2`.
    #[schema(example = "GSM-7")]
    encoding: &'static str,
}

impl From<Written> for ContentView {
    fn from(written: Written) -> Self {
        let assessment = written.assessment;
        Self {
            message: written.text.message,
            subject: written.text.subject,
            writer: written.writer.as_str(),
            notes: written.notes.iter().map(ToString::to_string).collect(),
            risk_score: assessment.score,
            requires_approval: assessment.requires_approval(),
            issues: assessment.issues.into_iter().map(IssueView::from).collect(),
            segments: written.segmentation.segments,
            encoding: written.segmentation.encoding.as_str(),
        }
    }
}

async fn generate(
    Member(caller): Member,
    api: Data<Api>,
    connection: Connection,
    body: Body<GenerateRequest>,
) -> Result<Answer<ContentView>, ApiError> {
    let (request, faults) = body.read()?;
    let writing = api.content.generate(&caller, request, faults);
    Ok(Answer::new(connection.unless_hung_up(writing).await?))
}

async fn rewrite(
    Member(caller): Member,
    api: Data<Api>,
    connection: Connection,
    body: Body<RewriteRequest>,
) -> Result<Answer<ContentView>, ApiError> {
    let (request, faults) = body.read()?;
    let writing = api.content.rewrite(&caller, request, faults);
    Ok(Answer::new(connection.unless_hung_up(writing).await?))
}

async fn translate(
    Member(caller): Member,
    api: Data<Api>,
    connection: Connection,
    body: Body<TranslateRequest>,
) -> Result<Answer<ContentView>, ApiError> {
    let (request, faults) = body.read()?;
    let writing = api.content.translate(&caller, request, faults);
    Ok(Answer::new(connection.unless_hung_up(writing).await?))
}
