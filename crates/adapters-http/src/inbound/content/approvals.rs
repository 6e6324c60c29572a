//! `/admin/approvals`

use actix_web::web::Data;
use domain::{
    content::approval::{Approval, ApprovalKind, ApprovalState, Verdict},
    shared::{id::Id, listed_text},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    content::{issues::IssueView, templates::view::VendorTemplateView},
    shared::{
        answers::{Answer, Paginated},
        body::{Body, may_be_absent},
        endpoint::{Area, get, post},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, field},
        long_text::LongText,
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{Query, ShortPage},
    },
};

const NOT_FOUND: &str = "There is no such approval: `NOT_FOUND`.";
const CONFLICT: &str = "It was decided before: `ALREADY_DECIDED`; or it is about a content that was \
     changed since: `CONTENT_CHANGED`.";

pub(super) fn area() -> Area {
    Area {
        name: "Approvals",
        about: "What waits for a platform administrator.",
        endpoints: vec![
            get("/admin/approvals", "listApprovals", list)
                .summary("List what waits for approval.")
                .description(
                    "Of all organizations, newest first. Of a text the first 10,000 characters are \
                     shown: look up what is cut before you decide.",
                )
                .answers("What waits."),
            get("/admin/approvals/{id}", "getApproval", show)
                .extension()
                .summary("Look up what waits for approval, or was decided.")
                .description("Its text is shown as a whole.")
                .answers("The approval.")
                .fails(404, NOT_FOUND),
            post("/admin/approvals/{id}/approve", "approve", approve)
                .summary("Approve a content.")
                .description(
                    "It can be used from now on. Nobody approves what they wrote. Whoever asked is \
                     told by email.",
                )
                .with(may_be_absent)
                .answers("The approval.")
                .fails(404, NOT_FOUND)
                .fails(409, CONFLICT),
            post("/admin/approvals/{id}/reject", "reject", reject)
                .summary("Reject a content.")
                .description("Whoever asked is told by email, with the comment.")
                .with(may_be_absent)
                .answers("The approval.")
                .fails(404, NOT_FOUND)
                .fails(409, CONFLICT),
        ],
    }
}

impl Identified for Approval {
    const NAME: &'static str = "approval";
}

type ApprovalKindName = Names<ApprovalKind>;
type ApprovalStatusName = Names<ApprovalState>;

impl Vocabulary for ApprovalKind {
    const TITLE: &'static str = "ApprovalType";
    const DESCRIPTION: &'static str = "What is to be approved.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const PENDING: &str = "PENDING";

impl Vocabulary for ApprovalState {
    const TITLE: &'static str = "ApprovalStatus";
    const DESCRIPTION: &'static str = "What became of an approval.";

    fn names() -> Vec<&'static str> {
        vec![PENDING, Verdict::Approved.as_str(), Verdict::Rejected.as_str()]
    }
}

/// What somebody has to say about a decision.
struct Comment(Option<String>);

impl FromFields for Comment {
    const NAME: &'static str = "DecisionRequest";
    const ABOUT: &'static str = "What there is to say about a decision.";

    fn from_fields(fields: &mut Fields) -> Self {
        let about = "Why, for whoever asked.";
        Self(fields.optional(field("comment").about(about).limits(&[("maxLength", 1_000)])))
    }

    fn example() -> Value {
        json!({ "comment": "Say how to opt out." })
    }
}

/// A content that needs approval, and what was decided.
#[derive(Serialize, ToSchema)]
#[schema(as = Approval)]
#[serde(rename_all = "camelCase")]
struct ApprovalView {
    id: Uuid,
    #[schema(value_type = ApprovalKindName)]
    r#type: &'static str,
    content: ContentView,
    /// The template, the campaign or the sender name.
    resource_id: Uuid,
    /// What its organization calls it.
    #[schema(example = "Order ready")]
    name: String,
    organization_id: Uuid,
    /// How risky it is, 0 to 100.
    #[schema(example = 40)]
    risk_score: u8,
    /// What was found in it.
    issues: Vec<IssueView>,
    /// The user who asked.
    requested_by: Uuid,
    requested_at: Timestamp,
    #[schema(value_type = ApprovalStatusName)]
    status: &'static str,
    decided_at: Option<Timestamp>,
    /// The user who decided.
    decided_by: Option<Uuid>,
    #[schema(example = "Say how to opt out.")]
    comment: Option<String>,
}

/// What is to be approved.
#[derive(Serialize, ToSchema)]
#[schema(as = ApprovalContent)]
#[serde(rename_all = "camelCase")]
struct ContentView {
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(example = "Hello {{name}}, your order {{order}} is ready.")]
    body: String,
    /// Extension: true if `body` is cut. Lists show the first 10,000 characters of a text.
    #[schema(example = false)]
    body_truncated: bool,
    /// Extension: the text that the vendor keeps, which is sent instead: it belongs to the account of the
    /// operator, and who approves gives it to the organization.
    vendor_template: Option<VendorTemplateView>,
    /// Extension: whether values of any length may stand for placeholders.
    #[schema(example = false)]
    long_variables: bool,
}

impl From<Approval> for ApprovalView {
    fn from(approval: Approval) -> Self {
        let content = approval.content;
        let decision = match approval.state {
            ApprovalState::Decided(decision) => Some(decision),
            ApprovalState::Pending | ApprovalState::Withdrawn => None,
        };
        Self {
            id: approval.id.uuid(),
            r#type: approval.kind.as_str(),
            content: ContentView {
                subject: content.subject,
                body: content.body,
                body_truncated: false,
                vendor_template: content.vendor_template.map(VendorTemplateView::from),
                long_variables: content.allows_long_values,
            },
            resource_id: approval.resource,
            name: approval.name,
            organization_id: approval.organization.uuid(),
            risk_score: approval.risk_score,
            issues: approval.issues.into_iter().map(IssueView::from).collect(),
            requested_by: approval.requested_by.uuid(),
            requested_at: approval.requested_at.into(),
            status: decision.as_ref().map_or(PENDING, |decision| decision.verdict.as_str()),
            decided_at: decision.as_ref().map(|decision| decision.at.into()),
            decided_by: decision.as_ref().map(|decision| Id::uuid(decision.by)),
            comment: decision.and_then(|decision| decision.comment),
        }
    }
}

impl LongText for ApprovalView {
    fn cut_text(&mut self) {
        let content = &mut self.content;
        content.body_truncated = listed_text::cut(&mut content.body);
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<ApprovalView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.approvals.pending(&admin, page).await?))
}

async fn show(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Approval>,
) -> Result<Answer<ApprovalView>, ApiError> {
    Ok(Answer::new(api.approvals.get(&admin, id.read()?).await?))
}

async fn approve(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Approval>,
    body: Body<Comment>,
) -> Result<Answer<ApprovalView>, ApiError> {
    let (Comment(comment), faults) = body.read()?;
    let decision = (Verdict::Approved, comment);
    Ok(Answer::new(api.approvals.decide(&admin, id.or_unknown(), decision, faults).await?))
}

async fn reject(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Approval>,
    body: Body<Comment>,
) -> Result<Answer<ApprovalView>, ApiError> {
    let (Comment(comment), faults) = body.read()?;
    let decision = (Verdict::Rejected, comment);
    Ok(Answer::new(api.approvals.decide(&admin, id.or_unknown(), decision, faults).await?))
}
