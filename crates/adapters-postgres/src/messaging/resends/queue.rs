//! Work on tasks: leases and progress.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::prelude::*;
use domain::{
    messaging::{
        delivery::FailureCode,
        job::Lease,
        message::Message,
        resend::{ResendFailure, ResendStatus},
    },
    shared::{channel::Channel, id::Id},
};
use ports::{
    messaging::resends::{LeasedResend, ResendEnd, ResendPart, ResendProgress, ResendQueue},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{FITS, TaskRow, pairs, stored};
use crate::{
    messaging::delivery_logs::MessageRow,
    shared::{
        database::session::PgStore,
        error::store_error,
        query::{row::row, run_query::RunQueryDsl, sql::sql},
        schema::{delivery_logs, resend_tasks},
    },
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 60;

row! {
    struct ClaimedRow {
        organization_id: Uuid,
        id: Uuid,
        lease: Uuid,
    }
}

row! {
    /// Message that was looked at.
    struct ReadRow {
        id: Uuid,
        fits: bool,
    }
}

#[async_trait]
impl ResendQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedResend>, StoreError> {
        let mut session = self.session().await?;
        let claim = sql!(CLAIM, instance = self.lease_prefix(), lease_seconds = LEASE_SECONDS);
        let claimed: Option<ClaimedRow> = claim.row(session.conn()).await?;
        let Some(ClaimedRow { organization_id, id, lease }) = claimed else { return Ok(None) };
        let query = TaskRow::query()
            .filter(resend_tasks::organization_id.eq(organization_id))
            .filter(resend_tasks::id.eq(id));
        let row: TaskRow = query.first(session.conn()).await.map_err(store_error)?;
        let position = Id::of(row.position);
        Ok(Some(LeasedResend { task: row.try_into()?, position, lease: Lease(lease) }))
    }

    async fn next(&self, leased: &LeasedResend, most: usize) -> Result<ResendPart, StoreError> {
        let task = &leased.task;
        let filter = &task.filter;
        let mut session = self.session().await?;
        let next = sql!(
            ["SELECT log.id, ", FITS, " AS fits ", FROM_NEXT],
            is_sandbox = filter.is_sandbox,
            recipients = filter.recipients.as_ref(),
            channel = filter.channel.map(Channel::as_str),
            campaign = filter.campaign,
            provider = filter.provider.as_deref(),
            error_code = filter.error_code.map(FailureCode::as_str),
            event = filter.event.as_deref(),
            pairs = pairs(filter),
            organization = task.organization,
            since = filter.since(),
            position = leased.position,
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        let looked_at: Vec<ReadRow> = next.rows(session.conn()).await?;
        let last = looked_at.last().filter(|_| looked_at.len() >= most).map(|row| Id::of(row.id));
        let wanted: Vec<Uuid> = looked_at.iter().filter(|row| row.fits).map(|row| row.id).collect();
        let query = MessageRow::query()
            .filter(delivery_logs::organization_id.eq(task.organization.uuid()))
            .filter(delivery_logs::id.eq_any(wanted))
            .order(delivery_logs::id.desc());
        let rows: Vec<MessageRow> = query.load(session.conn()).await.map_err(store_error)?;
        let messages = rows.into_iter().map(Message::try_from).collect::<Result<_, _>>()?;
        Ok(ResendPart { messages, last })
    }

    async fn advance(
        &self,
        leased: &LeasedResend,
        last: Id<Message>,
        progress: ResendProgress,
    ) -> Result<(), StoreError> {
        let advance = sql!(
            "UPDATE resend_tasks SET position = {last}, resent = resent + {resent}, \
                skipped = skipped + {skipped}, lease = NULL, due_at = now() \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease}",
            last,
            resent = stored(progress.resent),
            skipped = stored(progress.skipped),
            organization = leased.task.organization,
            id = leased.task.id,
            lease = leased.lease.0,
        );
        advance.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn end(
        &self,
        leased: &LeasedResend,
        progress: ResendProgress,
        end: ResendEnd,
    ) -> Result<(), StoreError> {
        let (status, failure) = match end {
            ResendEnd::Completed => (ResendStatus::Completed, None),
            ResendEnd::Failed(failure) => (ResendStatus::Failed, Some(failure)),
        };
        let end = sql!(
            "UPDATE resend_tasks SET status = {status}, failure = {failure}, \
                resent = resent + {resent}, skipped = skipped + {skipped}, \
                message_count = CASE WHEN {is_complete} \
                    THEN resent + skipped + {resent} + {skipped} ELSE message_count END, \
                recipients = NULL, metadata = NULL, lease = NULL, completed_at = now() \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease}",
            status = status.as_str(),
            failure = failure.map(ResendFailure::as_str),
            resent = stored(progress.resent),
            skipped = stored(progress.skipped),
            is_complete = end == ResendEnd::Completed,
            organization = leased.task.organization,
            id = leased.task.id,
            lease = leased.lease.0,
        );
        end.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn put_off(&self, leased: &LeasedResend, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = sql!(
            "UPDATE resend_tasks SET lease = NULL, \
                due_at = now() + make_interval(secs => {millis}::bigint / 1000.0) \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease}",
            millis = delay.num_milliseconds(),
            organization = leased.task.organization,
            id = leased.task.id,
            lease = leased.lease.0,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

/// A part that is done moves its task to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM resend_tasks \
        WHERE completed_at IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE resend_tasks task SET status = 'PROCESSING', lease = lease_of({instance}), \
        due_at = now() + make_interval(secs => {lease_seconds}::bigint) \
    FROM next \
    WHERE task.organization_id = ANY(ARRAY[next.organization_id]) AND task.id = ANY(ARRAY[next.id]) \
    RETURNING task.organization_id, task.id, task.lease";

/// The limit stands inside, so that a part costs the same however few of the messages fit.
const FROM_NEXT: &str = "\
    FROM (SELECT id, status, is_sandbox, recipient, channel, campaign_id, provider, error_code, \
            event, metadata \
        FROM delivery_logs \
        WHERE organization_id = {organization} AND failed_at IS NOT NULL \
            AND id > {since} AND id < {position} \
        ORDER BY id DESC LIMIT {most}) AS log ORDER BY log.id DESC";
