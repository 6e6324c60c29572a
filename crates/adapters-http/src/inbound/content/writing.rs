//! `/content`: writing of texts.

use actix_web::web::Data;
use domain::content::writing::{
    GenerateRequest, RewriteRequest, Style, TranslateRequest, Writer, Written,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{Error, content::writing::CONTENT_WRITER_NOT_CONFIGURED};
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

const CHECKED: &str = "The text is returned only if it has exactly the requested placeholders. It \
     is not stored. A model writes at most two texts of an organization at a time.";

pub(super) fn area() -> Area {
    Area {
        name: "Content",
        about: "Texts, written by a language model if one is configured, else by rules.",
        endpoints: vec![
            post("/content/generate", "generateContent", generate)
                .extension()
                .summary("Write a new text.")
                .description(CHECKED)
                .answers("The text, with the result of its check.")
                .refuses(Error::Unavailable(CONTENT_WRITER_NOT_CONFIGURED)),
            post("/content/rewrite", "rewriteContent", rewrite)
                .extension()
                .summary("Rewrite a text.")
                .description(CHECKED)
                .answers("The text, with the result of its check."),
            post("/content/translate", "translateContent", translate)
                .extension()
                .summary("Translate a text.")
                .description(CHECKED)
                .answers("The text, with the result of its check.")
                .refuses(Error::Unavailable(CONTENT_WRITER_NOT_CONFIGURED)),
        ],
    }
}

type WriterName = Names<Writer>;

impl Vocabulary for Style {
    const TITLE: &'static str = "ContentStyle";
    const DESCRIPTION: &'static str = "The style of a text.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Writer {
    const TITLE: &'static str = "ContentWriter";
    const DESCRIPTION: &'static str =
        "The writer: a language model, or rules, which support some English only.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const fn category() -> Field {
    field("category").about("The category of the text; `TRANSACTIONAL` if absent.")
}

const fn max_segments() -> Field {
    field("maxSegments")
        .about(
            "The maximum number of parts of an SMS. If it nevertheless takes more, `notes` report \
             it.",
        )
        .limits(&[("minimum", 1), ("maximum", 10)])
        .extension()
}

const fn message() -> Field {
    field("message")
        .about("The text. `{{name}}` is a placeholder for a value.")
        .limits(&[("minLength", 1), ("maxLength", 10_000)])
}

const fn channel() -> Field {
    field("channel").about("The channel of the text.").extension()
}

impl FromFields for GenerateRequest {
    const NAME: &'static str = "GenerateContentRequest";
    const ABOUT: &'static str = "A request to write a text.";

    fn from_fields(fields: &mut Fields) -> Self {
        let goal = field("goal")
            .about("A description of the purpose of the text. For an SMS at most 600 characters.")
            .limits(&[("minLength", 1), ("maxLength", 2_000)]);
        let channel = field("channel").about("The channel of the text.");
        let language = field("language")
            .about("The language, as a code or by name; `en` if absent.")
            .limits(&[("maxLength", 40)]);
        let tone = field("tone")
            .about("The style of the text. Rules support the styles of `/content/rewrite`.")
            .limits(&[("maxLength", 40)]);
        let variables = field("variables")
            .about("The names of the placeholders. The text contains all of them.")
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
    const ABOUT: &'static str = "A text to rewrite.";

    fn from_fields(fields: &mut Fields) -> Self {
        let style = field("style").about("The style of the text.");
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
    const ABOUT: &'static str = "A text to translate.";

    fn from_fields(fields: &mut Fields) -> Self {
        let target = field("targetLanguage")
            .about("The target language, as a code or by name.")
            .limits(&[("minLength", 1), ("maxLength", 40)]);
        let source = field("sourceLanguage")
            .about("The language of the text, as a code or by name.")
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

/// Text, with the result of its check.
#[derive(Serialize, ToSchema)]
#[schema(as = Content)]
#[serde(rename_all = "camelCase")]
struct ContentView {
    #[schema(example = "Hi {{firstName}}, this is a reminder about your appointment on {{date}}.")]
    message: String,
    /// Subject of a new mail, or title of a new notification.
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(value_type = WriterName)]
    writer: &'static str,
    /// Parts of the request that could not be fulfilled.
    #[schema(example = json!([]))]
    notes: Vec<String>,
    /// Risk score, 0 to 100.
    #[schema(example = 0)]
    risk_score: u8,
    /// Issues, heaviest first.
    issues: Vec<IssueView>,
    /// True if the score is 30 or more.
    requires_approval: bool,
    /// Number of parts as a text message, with its placeholders not filled.
    #[schema(example = 1)]
    segments: u16,
    /// Alphabet as a text message, `GSM-7` or `UCS-2`.
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
