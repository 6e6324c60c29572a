//! Approvals of all organizations.

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    content::approval::{
        Approval, ApprovalKind, Decision, RequestedApproval, RequestedApprovalFilter, Verdict,
    },
    identity::organization::Organization,
    platform::{audit::AuditEntry, notice::Notice},
    shared::{
        id::Id,
        page::{Page, Paged},
        webhook_event::WebhookEvent,
    },
    webhooks::outbound_event::OutboundEvent,
};
use ports::{
    content::approvals::{ApprovalRepository, Settled},
    shared::store::StoreError,
};

use crate::{
    content::{approval_requests::ApprovalRow, requested_approvals, sender_names, templates},
    outreach::campaigns,
    shared::{
        audit_entries,
        database::{connection::Connection, session::PgStore},
        error::store_error,
        notices,
        query::{listed::Listed, run_query::RunQueryDsl, sql::sql},
        schema::approvals,
    },
    webhooks::outbound_events,
};

#[async_trait]
impl ApprovalRepository for PgStore {
    async fn pending(&self, page: Page) -> Result<Paged<Approval>, StoreError> {
        let mut session = self.session().await?;
        let count = sql!(
            "SELECT count(*) \
             FROM (SELECT FROM approvals WHERE closed_at IS NULL LIMIT {most}) AS waiting",
            most = MOST_COUNTED.saturating_add(1).cast_signed(),
        );
        let found: i64 = count.only(session.conn()).await?;
        let query = ApprovalRow::query()
            .filter(approvals::closed_at.is_null())
            .order(approvals::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into());
        let listed = Listed::new(ApprovalRow::LISTED, query);
        let rows: Vec<ApprovalRow> = listed.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Approval::try_from).collect();
        Ok(Paged::counted_up_to(MOST_COUNTED, items?, page, found.unsigned_abs()))
    }

    async fn find(&self, id: Id<Approval>) -> Result<Option<Approval>, StoreError> {
        let query = ApprovalRow::query().filter(approvals::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(Approval::try_from).transpose()
    }

    async fn decide(
        &self,
        approval: &Approval,
        decision: &Decision,
        entry: &AuditEntry,
    ) -> Result<Settled, StoreError> {
        let mut session = self.transaction().await?;
        // The resource is locked first, as in an edit, so that the two cannot deadlock.
        if !settle_resource(session.conn(), approval, decision).await? {
            return Ok(Settled::ContentChanged);
        }
        if !close(session.conn(), approval, decision).await? {
            return settled_before(session.conn(), approval).await;
        }
        audit_entries::insert(session.conn(), entry).await?;
        let notice = Notice::of_decision(approval, decision);
        notices::insert(session.conn(), &notice).await?;
        if approval.kind == ApprovalKind::Template {
            publish_template(session.conn(), approval, decision).await?;
        }
        session.commit().await?;
        Ok(Settled::Done)
    }

    async fn count_pending(&self, organization: Id<Organization>) -> Result<u64, StoreError> {
        let count = approvals::table
            .filter(approvals::organization_id.eq(organization.uuid()))
            .filter(approvals::closed_at.is_null())
            .count();
        let count: i64 =
            count.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(count.unsigned_abs())
    }

    async fn requested(
        &self,
        organization: Id<Organization>,
        filter: &RequestedApprovalFilter,
        before: Option<Id<Approval>>,
        limit: usize,
    ) -> Result<Vec<RequestedApproval>, StoreError> {
        let mut session = self.session().await?;
        requested_approvals::list(session.conn(), organization, filter, before, limit).await
    }
}

/// Maximum number of waiting approvals counted.
const MOST_COUNTED: u64 = 10_000;

/// Applies a decision to the status of its resource; returns false if its content has changed
/// since.
async fn settle_resource(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    match approval.kind {
        ApprovalKind::Template => templates::settle(conn, approval, decision).await,
        ApprovalKind::SenderName => sender_names::settle(conn, approval, decision).await,
        ApprovalKind::Campaign => campaigns::settle(conn, approval, decision).await,
    }
}

/// Publishes the event of a decision on a template.
async fn publish_template(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<(), StoreError> {
    let event = match decision.verdict {
        Verdict::Approved => WebhookEvent::TemplateApproved,
        Verdict::Rejected => WebhookEvent::TemplateRejected,
    };
    let organization = approval.organization;
    if !outbound_events::listens(conn, organization, event).await? {
        return Ok(());
    }
    let ids = [Id::of(approval.resource)];
    for template in templates::find_whole(conn, organization, &ids).await? {
        let published = OutboundEvent {
            id: Id::new_in(decision.at, organization),
            organization,
            event,
            subject: approval.resource,
            data: template.to_json().to_string(),
            at: decision.at,
        };
        outbound_events::publish(conn, &published).await?;
    }
    Ok(())
}

/// Records a decision; returns false if the approval no longer waits.
async fn close(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    let pending = approvals::table
        .find((approval.organization.uuid(), approval.id.uuid()))
        .filter(approvals::closed_at.is_null());
    let close = diesel::update(pending).set((
        approvals::closed_at.eq(decision.at),
        approvals::verdict.eq(decision.verdict.as_str()),
        approvals::decided_by.eq(decision.by.uuid()),
        approvals::comment.eq(decision.comment.as_deref()),
    ));
    Ok(close.execute(conn).await.map_err(store_error)? > 0)
}

/// Returns the reason why an approval no longer waits.
async fn settled_before(conn: &mut Connection, approval: &Approval) -> Result<Settled, StoreError> {
    let verdict = approvals::table
        .find((approval.organization.uuid(), approval.id.uuid()))
        .select(approvals::verdict);
    let verdict: Option<String> = verdict.first(conn).await.map_err(store_error)?;
    Ok(verdict.map_or(Settled::ContentChanged, |_| Settled::AlreadyDecided))
}
