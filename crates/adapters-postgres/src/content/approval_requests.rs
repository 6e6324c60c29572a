//! Rows of approvals, and requests for approval.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    content::{
        approval::{Approval, ApprovalContent, ApprovalKind, ApprovalState, Decision},
        template::VendorTemplate,
    },
    identity::organization::Organization,
    shared::id::Id,
};
use ports::shared::store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::{corrupt, store_error},
    query::run_query::RunQueryDsl,
    schema::approvals,
};

#[derive(HasQuery, Insertable)]
#[diesel(table_name = approvals)]
pub(crate) struct ApprovalRow {
    id: Uuid,
    organization_id: Uuid,
    kind: String,
    resource_id: Uuid,
    name: String,
    subject: Option<String>,
    body: String,
    content_hash: Vec<u8>,
    risk_score: i16,
    issues: Value,
    requested_by: Uuid,
    authors: Vec<Uuid>,
    requested_at: DateTime<Utc>,
    details: Option<Value>,
    #[diesel(embed)]
    outcome: OutcomeRow,
}

/// Column `details`: further content that is approved with a text.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vendor_template: Option<VendorTemplate>,
    #[serde(default)]
    allows_long_values: bool,
}

/// Outcome of an approval.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = approvals)]
pub(crate) struct OutcomeRow {
    closed_at: Option<DateTime<Utc>>,
    verdict: Option<String>,
    decided_by: Option<Uuid>,
    comment: Option<String>,
}

/// Adds an approval, in the transaction of the resource that needs it.
pub(crate) async fn insert(conn: &mut Connection, approval: &Approval) -> Result<(), StoreError> {
    let insert = diesel::insert_into(approvals::table).values(ApprovalRow::from(approval));
    insert.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Withdraws the approval that a resource waits for, if any, in the transaction that changes its
/// content.
pub(crate) async fn withdraw(
    conn: &mut Connection,
    organization: Id<Organization>,
    (kind, resource): (ApprovalKind, Uuid),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let pending = approvals::table
        .filter(approvals::organization_id.eq(organization.uuid()))
        .filter(approvals::kind.eq(kind.as_str()))
        .filter(approvals::resource_id.eq(resource))
        .filter(approvals::closed_at.is_null());
    let withdraw = diesel::update(pending).set(approvals::closed_at.eq(now));
    withdraw.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Updates the name that administrators see of a resource that waits for approval, if it does.
pub(crate) async fn rename(
    conn: &mut Connection,
    organization: Id<Organization>,
    (kind, resource): (ApprovalKind, Uuid),
    name: &str,
) -> Result<(), StoreError> {
    let pending = approvals::table
        .filter(approvals::organization_id.eq(organization.uuid()))
        .filter(approvals::kind.eq(kind.as_str()))
        .filter(approvals::resource_id.eq(resource))
        .filter(approvals::closed_at.is_null());
    let rename = diesel::update(pending).set(approvals::name.eq(name));
    rename.execute(conn).await.map_err(store_error)?;
    Ok(())
}

impl ApprovalRow {
    /// Columns for a list.
    pub(crate) const LISTED: &'static str = "\
        id, organization_id, kind, resource_id, name, subject, left(body, ?), content_hash, risk_score, \
        issues, requested_by, authors, requested_at, details, closed_at, verdict, decided_by, comment";
}

impl From<&Approval> for ApprovalRow {
    fn from(approval: &Approval) -> Self {
        Self {
            id: approval.id.uuid(),
            organization_id: approval.organization.uuid(),
            kind: approval.kind.as_str().to_owned(),
            resource_id: approval.resource,
            name: approval.name.clone(),
            subject: approval.content.subject.clone(),
            body: approval.content.body.clone(),
            content_hash: approval.hash.to_vec(),
            risk_score: approval.risk_score.into(),
            issues: json!(approval.issues),
            requested_by: approval.requested_by.uuid(),
            authors: approval.authors.iter().map(|author| author.uuid()).collect(),
            requested_at: approval.requested_at,
            details: Some(json!(Details {
                vendor_template: approval.content.vendor_template.clone(),
                allows_long_values: approval.content.allows_long_values,
            })),
            outcome: OutcomeRow { closed_at: None, verdict: None, decided_by: None, comment: None },
        }
    }
}

impl TryFrom<ApprovalRow> for Approval {
    type Error = StoreError;

    fn try_from(row: ApprovalRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("approvals", row.id);
        let state = row.outcome.state().ok_or_else(corrupt)?;
        let details = row.details.map(serde_json::from_value).transpose();
        let Details { vendor_template, allows_long_values } =
            details.map_err(|_| corrupt())?.unwrap_or_default();
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            kind: row.kind.parse().map_err(|_| corrupt())?,
            resource: row.resource_id,
            name: row.name,
            content: ApprovalContent {
                subject: row.subject,
                body: row.body,
                vendor_template,
                allows_long_values,
            },
            hash: row.content_hash.try_into().map_err(|_| corrupt())?,
            risk_score: row.risk_score.try_into().map_err(|_| corrupt())?,
            issues: serde_json::from_value(row.issues).map_err(|_| corrupt())?,
            requested_by: row.requested_by.into(),
            authors: row.authors.into_iter().map(Into::into).collect(),
            requested_at: row.requested_at,
            state,
        })
    }
}

impl OutcomeRow {
    /// Returns the state of the approval; `None` if the columns contradict each other.
    fn state(self) -> Option<ApprovalState> {
        let Some(at) = self.closed_at else { return Some(ApprovalState::Pending) };
        let Some(verdict) = self.verdict else { return Some(ApprovalState::Withdrawn) };
        let (verdict, by) = (verdict.parse().ok()?, self.decided_by?.into());
        Some(ApprovalState::Decided(Decision { verdict, by, at, comment: self.comment }))
    }
}
