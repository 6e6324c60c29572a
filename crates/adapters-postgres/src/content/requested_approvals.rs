//! Lists of the approvals of an organization.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    content::approval::{
        Approval, ApprovalKind, ApprovalStatus, RequestedApproval, RequestedApprovalFilter, Verdict,
    },
    identity::organization::Organization,
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::{corrupt, store_error},
    query::run_query::RunQueryDsl,
    schema::approvals,
};

/// Columns of an approval without its content.
#[derive(HasQuery)]
#[diesel(table_name = approvals)]
struct RequestedRow {
    id: Uuid,
    kind: String,
    resource_id: Uuid,
    name: String,
    risk_score: i16,
    requested_at: DateTime<Utc>,
    closed_at: Option<DateTime<Utc>>,
    verdict: Option<String>,
    comment: Option<String>,
}

/// Returns up to `limit` approvals, newest first, older than `before`.
pub(crate) async fn list(
    conn: &mut Connection,
    organization: Id<Organization>,
    filter: &RequestedApprovalFilter,
    before: Option<Id<Approval>>,
    limit: usize,
) -> Result<Vec<RequestedApproval>, StoreError> {
    let mut query = RequestedRow::query()
        .filter(approvals::organization_id.eq(organization.uuid()))
        .order(approvals::id.desc())
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(approvals::id.lt(before.uuid()));
    }
    let template = filter.template.map(|id| (ApprovalKind::Template, id.uuid()));
    let campaign = filter.campaign.map(|id| (ApprovalKind::Campaign, id));
    for (kind, resource) in template.into_iter().chain(campaign) {
        query = query.filter(approvals::kind.eq(kind.as_str()));
        query = query.filter(approvals::resource_id.eq(resource));
    }
    query = match filter.status {
        None => query,
        Some(ApprovalStatus::Pending) => query.filter(approvals::closed_at.is_null()),
        Some(ApprovalStatus::Withdrawn) => {
            query.filter(approvals::closed_at.is_not_null()).filter(approvals::verdict.is_null())
        }
        Some(ApprovalStatus::Approved) => {
            query.filter(approvals::verdict.eq(Verdict::Approved.as_str()))
        }
        Some(ApprovalStatus::Rejected) => {
            query.filter(approvals::verdict.eq(Verdict::Rejected.as_str()))
        }
    };
    let rows: Vec<RequestedRow> = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(RequestedApproval::try_from).collect()
}

impl TryFrom<RequestedRow> for RequestedApproval {
    type Error = StoreError;

    fn try_from(row: RequestedRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("approvals", row.id);
        let verdict = row.verdict.map(|it| it.parse::<Verdict>()).transpose();
        let verdict = verdict.map_err(|_| corrupt())?;
        let status = match (row.closed_at, verdict) {
            (None, _) => ApprovalStatus::Pending,
            (Some(_), None) => ApprovalStatus::Withdrawn,
            (Some(_), Some(verdict)) => verdict.into(),
        };
        Ok(Self {
            id: row.id.into(),
            kind: row.kind.parse().map_err(|_| corrupt())?,
            resource: row.resource_id,
            name: row.name,
            risk_score: row.risk_score.try_into().map_err(|_| corrupt())?,
            status,
            comment: row.comment,
            requested_at: row.requested_at,
            reviewed_at: row.closed_at.filter(|_| verdict.is_some()),
        })
    }
}
