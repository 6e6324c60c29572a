//! `/compliance`: checks of texts, and a summary.

use actix_web::web::Data;
use domain::content::compliance::{CheckedMessage, MessageCheck};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::content::compliance::ComplianceSummary;
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    content::issues::IssueView,
    shared::{
        answers::Answer,
        body::Body,
        caller::Member,
        endpoint::{Area, get, post},
        error::ApiError,
        json_fields::{Fields, FromFields, field},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Compliance",
        about: "What may be sent.",
        endpoints: vec![
            get("/compliance/summary", "getComplianceSummary", summary)
                .summary("How many addresses are suppressed, and how much waits for approval.")
                .answers("The summary."),
            post("/compliance/check-message", "checkMessage", check)
                .summary("Check a text before it is used.")
                .description(
                    "Rules look for what harms recipients or costs more than it must. The score is the \
                     sum of the weights of the issues, at most 100. Nothing of the text is kept.",
                )
                .answers("What was found."),
        ],
    }
}

impl FromFields for MessageCheck {
    const NAME: &'static str = "CheckMessageRequest";
    const ABOUT: &'static str = "A text to check.";

    fn from_fields(fields: &mut Fields) -> Self {
        let message = field("message").about("The text.").limits(&[("minLength", 1)]);
        let category = field("category").about("What it is about; `MARKETING` if absent.");
        let channel = field("channel")
            .about("How it is to travel. With `countryCode` the answer has the cost.")
            .extension();
        let country = field("countryCode").about("Where it is to go.").extension();
        Self {
            message: fields.required(message),
            category: fields.optional(category),
            channel: fields.optional(channel),
            country: fields.optional(country),
        }
    }

    fn example() -> Value {
        json!({
            "message": "Sale at Makola this Saturday, from ₵5. Reply STOP to opt out",
            "category": "MARKETING", "channel": "SMS", "countryCode": "GH",
        })
    }
}

/// What was found in a text.
#[derive(Serialize, ToSchema)]
#[schema(as = CheckedMessage)]
#[serde(rename_all = "camelCase")]
struct CheckedMessageView {
    /// From 0 to 100.
    #[schema(example = 30)]
    risk_score: u8,
    /// What was found, heaviest first.
    issues: Vec<IssueView>,
    /// Whether the score is 30 or more.
    requires_approval: bool,
    /// Extension: how many parts it takes as a text message.
    #[schema(example = 1)]
    segments: u16,
    /// Extension: the alphabet in which a text message carries it, `GSM-7` or `UCS-2`.
    #[schema(example = "GSM-7")]
    encoding: &'static str,
    /// Extension: what one recipient costs, in GHS. Null without `channel` and `countryCode`, and where
    /// there is no price.
    #[schema(example = 0.035)]
    estimated_cost: Option<f64>,
}

/// How an organization stands.
#[derive(Serialize, ToSchema)]
#[schema(as = ComplianceSummary)]
#[serde(rename_all = "camelCase")]
struct SummaryView {
    /// How many entries the suppression list has.
    suppression_count: u64,
    /// How many approvals of the organization wait for a decision.
    pending_approvals: u64,
}

impl From<CheckedMessage> for CheckedMessageView {
    fn from(checked: CheckedMessage) -> Self {
        let assessment = checked.assessment;
        Self {
            risk_score: assessment.score,
            requires_approval: assessment.requires_approval(),
            issues: assessment.issues.into_iter().map(IssueView::from).collect(),
            segments: checked.segmentation.segments,
            encoding: checked.segmentation.encoding.as_str(),
            estimated_cost: checked.estimated_cost.map(domain::shared::money::Money::to_number),
        }
    }
}

impl From<ComplianceSummary> for SummaryView {
    fn from(summary: ComplianceSummary) -> Self {
        Self {
            suppression_count: summary.suppressions,
            pending_approvals: summary.pending_approvals,
        }
    }
}

async fn check(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<MessageCheck>,
) -> Result<Answer<CheckedMessageView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Answer::new(api.compliance.check(&caller, &request, faults).await?))
}

async fn summary(Member(caller): Member, api: Data<Api>) -> Result<Answer<SummaryView>, ApiError> {
    Ok(Answer::new(api.compliance.summary(&caller).await?))
}
