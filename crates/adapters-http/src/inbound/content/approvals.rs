//! `/admin/approvals`

mod requested;

use actix_web::web::Data;
use domain::{
    content::approval::{Approval, ApprovalKind, ApprovalState, Verdict},
    shared::{id::Id, listed_text},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{Error, content::templates::CONTENT_CHANGED, shared::refusals::ALREADY_DECIDED};
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

pub(super) fn area() -> Area {
    Area {
        name: "Approvals",
        about: "Decisions by platform administrators about contents.",
        endpoints: vec![
            requested::endpoint(),
            get("/admin/approvals", "listApprovals", list)
                .summary("List pending approvals.")
                .description(
                    "Those of all organizations, newest first. Only the first 10,000 characters of \
                     a text are shown: get the approval to read the rest before a decision.",
                )
                .answers("The pending approvals."),
            get("/admin/approvals/{id}", "getApproval", show)
                .extension()
                .summary("Get an approval, pending or decided.")
                .description("The text is shown in full.")
                .answers("The approval."),
            post("/admin/approvals/{id}/approve", "approve", approve)
                .summary("Approve content.")
                .description(
                    "The content can be used from now on. Authors cannot approve their own \
                     content. The user who requested the approval is notified by email.",
                )
                .with(may_be_absent)
                .answers("The approval.")
                .refuses(Error::Conflict(ALREADY_DECIDED))
                .refuses(Error::Conflict(CONTENT_CHANGED)),
            post("/admin/approvals/{id}/reject", "reject", reject)
                .summary("Reject content.")
                .description(
                    "The user who requested the approval is notified by email, with the comment.",
                )
                .with(may_be_absent)
                .answers("The approval.")
                .refuses(Error::Conflict(ALREADY_DECIDED))
                .refuses(Error::Conflict(CONTENT_CHANGED)),
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
    const DESCRIPTION: &'static str = "The kind of content to approve.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const PENDING: &str = "PENDING";

impl Vocabulary for ApprovalState {
    const TITLE: &'static str = "ApprovalStatus";
    const DESCRIPTION: &'static str = "The state of an approval.";

    fn names() -> Vec<&'static str> {
        vec![PENDING, Verdict::Approved.as_str(), Verdict::Rejected.as_str()]
    }
}

/// Comment on a decision.
struct Comment(Option<String>);

impl FromFields for Comment {
    const NAME: &'static str = "DecisionRequest";
    const ABOUT: &'static str = "A comment on a decision.";

    fn from_fields(fields: &mut Fields) -> Self {
        let about = "The reason, for the user who requested the approval.";
        Self(fields.optional(field("comment").about(about).limits(&[("maxLength", 1_000)])))
    }

    fn example() -> Value {
        json!({ "comment": "Say how to opt out." })
    }
}

/// Content that needs approval, and the decision about it.
#[derive(Serialize, ToSchema)]
#[schema(as = Approval)]
#[serde(rename_all = "camelCase")]
struct ApprovalView {
    id: Uuid,
    #[schema(value_type = ApprovalKindName)]
    r#type: &'static str,
    content: ContentView,
    /// Identifier of the template, the campaign or the sender name.
    resource_id: Uuid,
    /// Name that its organization gave it.
    #[schema(example = "Order ready")]
    name: String,
    organization_id: Uuid,
    /// Risk score, 0 to 100.
    #[schema(example = 40)]
    risk_score: u8,
    /// Issues that were found in it.
    issues: Vec<IssueView>,
    /// User who requested the approval.
    requested_by: Uuid,
    requested_at: Timestamp,
    #[schema(value_type = ApprovalStatusName)]
    status: &'static str,
    decided_at: Option<Timestamp>,
    /// User who decided.
    decided_by: Option<Uuid>,
    #[schema(example = "Say how to opt out.")]
    comment: Option<String>,
}

/// Content to approve.
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
    /// Extension: template that the vendor stores, which is sent instead. It belongs to the account
    /// of the operator, and the approval gives it to the organization.
    vendor_template: Option<VendorTemplateView>,
    /// Extension: true if values of any length may replace placeholders.
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
