//! `/approvals`

use actix_web::web::Data;
use domain::{
    content::approval::{Approval, ApprovalStatus, RequestedApproval, RequestedApprovalFilter},
    messaging::message::CampaignId,
    shared::id::Id,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::ApprovalKindName;
use crate::inbound::{
    Api,
    shared::{
        caller::Member,
        cursor::{self, Cursor, Part},
        endpoint::{Endpoint, get},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        query::{FromQuery, Parameters, Query},
    },
};

/// Returns the endpoint that lists the approvals of an organization.
pub(super) fn endpoint() -> Endpoint {
    get("/approvals", "listOwnApprovals", list)
        .extension()
        .summary("List the approvals that the organization requested.")
        .description(
            "Those of its templates, campaigns and sender names, newest first. An approval is kept \
             for 25 months after it was decided or withdrawn.",
        )
        .answers("A part of the list.")
}

type RequestedApprovalStatusName = Names<ApprovalStatus>;

impl Vocabulary for ApprovalStatus {
    const TITLE: &'static str = "RequestedApprovalStatus";
    const DESCRIPTION: &'static str = "The state of an approval. `WITHDRAWN`: the content changed \
         or was deleted before a decision.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Filter and part of the list.
struct RequestedApprovalQuery {
    filter: RequestedApprovalFilter,
    after: Option<Id<Approval>>,
    limit: u32,
}

impl FromQuery for RequestedApprovalQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let status = parameters.optional("status", "Only approvals in this state.");
        let template = parameters.optional("templateId", "Only approvals of this template.");
        let campaign: Option<CampaignId> =
            parameters.optional("campaignId", "Only approvals of this campaign.");
        let after = parameters.optional("after", cursor::ABOUT).map(|Cursor(after)| after);
        let limit = parameters.limit()?;
        let campaign = campaign.map(Id::uuid);
        let filter = RequestedApprovalFilter { status, template, campaign };
        Some(Self { filter, after, limit })
    }
}

/// Approval that the organization requested.
#[derive(Serialize, ToSchema)]
#[schema(as = RequestedApproval)]
#[serde(rename_all = "camelCase")]
struct RequestedApprovalView {
    id: Uuid,
    #[schema(value_type = ApprovalKindName)]
    r#type: &'static str,
    /// Identifier of the template, the campaign or the sender name.
    resource_id: Uuid,
    /// Name of the template, the campaign or the sender name.
    #[schema(example = "Order ready")]
    name: String,
    #[schema(value_type = RequestedApprovalStatusName)]
    status: &'static str,
    /// Risk score, 0 to 100.
    #[schema(example = 40)]
    risk_score: u8,
    /// Comment of the administrator who decided.
    #[schema(example = "Say how to opt out.")]
    comment: Option<String>,
    /// Time of the request.
    created_at: Timestamp,
    /// Time of the decision; null if there is none.
    reviewed_at: Option<Timestamp>,
}

impl From<RequestedApproval> for RequestedApprovalView {
    fn from(approval: RequestedApproval) -> Self {
        Self {
            id: approval.id.uuid(),
            r#type: approval.kind.as_str(),
            resource_id: approval.resource,
            name: approval.name,
            status: approval.status.as_str(),
            risk_score: approval.risk_score,
            comment: approval.comment,
            created_at: approval.requested_at.into(),
            reviewed_at: approval.reviewed_at.map(Timestamp::from),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<RequestedApprovalQuery>,
) -> Result<Part<RequestedApprovalView>, ApiError> {
    let RequestedApprovalQuery { filter, after, limit } = query.read()?;
    let part = api.approvals.requested(&caller, &filter, after, limit).await?;
    Ok(Part::new(part.approvals, limit, part.next.map(|next| next.to_string())))
}
