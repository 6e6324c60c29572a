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
        about: "Checks of texts, and a summary.",
        endpoints: vec![
            get("/compliance/summary", "getComplianceSummary", summary)
                .summary("Get a summary of suppressions and pending approvals.")
                .answers("The summary."),
            post("/compliance/check-message", "checkMessage", check)
                .summary("Check a text before it is used.")
                .description(
                    "Rules find content that harms recipients or costs more than necessary. The \
                     score is the sum of the weights of the issues, at most 100. The text is not \
                     stored.",
                )
                .answers("The result of the check."),
        ],
    }
}

impl FromFields for MessageCheck {
    const NAME: &'static str = "CheckMessageRequest";
    const ABOUT: &'static str = "A text to check.";

    fn from_fields(fields: &mut Fields) -> Self {
        let message = field("message").about("The text.").limits(&[("minLength", 1)]);
        let category = field("category").about("The category of the text; `MARKETING` if absent.");
        let channel = field("channel")
            .about("The channel of the text. With `countryCode` the answer includes the cost.")
            .extension();
        let sender = field("senderId")
            .about(
                "The sender of the text. Nobody can answer a name, so a text message from one \
                 that can be stopped by a reply only gets an issue.",
            )
            .limits(&[("maxLength", 100)])
            .extension();
        let country = field("countryCode").about("The country of the recipients.").extension();
        Self {
            message: fields.required(message),
            category: fields.optional(category),
            channel: fields.optional(channel),
            sender: fields.optional(sender),
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

/// Result of checking a text.
#[derive(Serialize, ToSchema)]
#[schema(as = CheckedMessage)]
#[serde(rename_all = "camelCase")]
struct CheckedMessageView {
    /// Risk score, 0 to 100.
    #[schema(example = 30)]
    risk_score: u8,
    /// Issues, heaviest first.
    issues: Vec<IssueView>,
    /// True if the score is 30 or more.
    requires_approval: bool,
    /// Extension: number of parts as a text message.
    #[schema(example = 1)]
    segments: u16,
    /// Extension: alphabet as a text message, `GSM-7` or `UCS-2`.
    #[schema(example = "GSM-7")]
    encoding: &'static str,
    /// Extension: cost of one recipient, in GHS. Null without `channel` and `countryCode`, and
    /// without a price.
    #[schema(example = 0.035)]
    estimated_cost: Option<f64>,
}

/// Compliance summary of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = ComplianceSummary)]
#[serde(rename_all = "camelCase")]
struct SummaryView {
    /// Number of entries on the suppression list.
    suppression_count: u64,
    /// Number of approvals of the organization that are pending.
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
