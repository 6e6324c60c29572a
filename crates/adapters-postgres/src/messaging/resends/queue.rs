//! Work on tasks: leases and progress.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::{
    prelude::*,
    sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid},
};
use domain::{
    messaging::{
        job::Lease,
        message::Message,
        resend::{ResendFailure, ResendStatus},
    },
    shared::id::Id,
};
use ports::{
    messaging::resends::{LeasedResend, ResendEnd, ResendPart, ResendProgress, ResendQueue},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{FITS, TaskRow, bind_filter, stored};
use crate::{
    messaging::delivery_logs::MessageRow,
    shared::{
        database::session::PgStore,
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
        schema::{delivery_logs, resend_tasks},
    },
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 60;

#[async_trait]
impl ResendQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedResend>, StoreError> {
        let mut session = self.session().await?;
        let claim = Statement::<(SqlUuid, SqlUuid, SqlUuid)>::returning(&[CLAIM])
            .bind::<Nullable<Text>, _>(self.lease_prefix())
            .bind::<BigInt, _>(LEASE_SECONDS);
        let claimed: Option<(Uuid, Uuid, Uuid)> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some((organization, id, lease)) = claimed else { return Ok(None) };
        let query = TaskRow::query()
            .filter(resend_tasks::organization_id.eq(organization))
            .filter(resend_tasks::id.eq(id));
        let row: TaskRow = query.first(session.conn()).await.map_err(store_error)?;
        let position = Id::of(row.position);
        Ok(Some(LeasedResend { task: row.try_into()?, position, lease: Lease(lease) }))
    }

    async fn next(&self, leased: &LeasedResend, most: usize) -> Result<ResendPart, StoreError> {
        let task = &leased.task;
        let mut session = self.session().await?;
        let next = bind_filter(Statement::<(SqlUuid, Bool)>::returning(NEXT), &task.filter)
            .bind::<SqlUuid, _>(task.organization.uuid())
            .bind::<SqlUuid, _>(task.filter.since().uuid())
            .bind::<SqlUuid, _>(leased.position.uuid())
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX));
        let looked_at: Vec<(Uuid, bool)> = next.load(session.conn()).await.map_err(store_error)?;
        let last = looked_at.last().filter(|_| looked_at.len() >= most).map(|(id, _)| Id::of(*id));
        let wanted: Vec<Uuid> =
            looked_at.iter().filter(|(_, fits)| *fits).map(|(id, _)| *id).collect();
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
        let advance = Statement::new(&[ADVANCE])
            .bind::<SqlUuid, _>(last.uuid())
            .bind::<BigInt, _>(stored(progress.resent))
            .bind::<BigInt, _>(stored(progress.skipped));
        write(self, advance, leased).await
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
        let (resent, skipped) = (stored(progress.resent), stored(progress.skipped));
        let end = Statement::new(&[END])
            .bind::<Text, _>(status.as_str())
            .bind::<Nullable<Text>, _>(failure.map(ResendFailure::as_str))
            .bind::<BigInt, _>(resent)
            .bind::<BigInt, _>(skipped)
            .bind::<Bool, _>(end == ResendEnd::Completed)
            .bind::<BigInt, _>(resent)
            .bind::<BigInt, _>(skipped);
        write(self, end, leased).await
    }

    async fn put_off(&self, leased: &LeasedResend, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = Statement::new(&[PUT_OFF]).bind::<BigInt, _>(delay.num_milliseconds());
        write(self, put_off, leased).await
    }
}

/// Executes a change of a leased task, whose key and lease are its last values.
async fn write(
    store: &PgStore,
    change: Statement<'_>,
    leased: &LeasedResend,
) -> Result<(), StoreError> {
    let change = change
        .bind::<SqlUuid, _>(leased.task.organization.uuid())
        .bind::<SqlUuid, _>(leased.task.id.uuid())
        .bind::<SqlUuid, _>(leased.lease.0);
    change.execute(store.session().await?.conn()).await.map_err(store_error)?;
    Ok(())
}

/// A part that is done moves its task to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM resend_tasks \
        WHERE completed_at IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE resend_tasks task SET status = 'PROCESSING', lease = lease_of(?), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE task.organization_id = ANY(ARRAY[next.organization_id]) AND task.id = ANY(ARRAY[next.id]) \
    RETURNING task.organization_id, task.id, task.lease";

/// The limit stands inside, so that a part costs the same however few of the messages fit.
const NEXT: &[&str] = &[
    "SELECT log.id, ",
    FITS,
    " FROM (SELECT id, status, is_sandbox, recipient, channel, campaign_id, provider, error_code, \
            event, metadata \
        FROM delivery_logs \
        WHERE organization_id = ? AND failed_at IS NOT NULL AND id > ? AND id < ? \
        ORDER BY id DESC LIMIT ?) AS log ORDER BY log.id DESC",
];

const ADVANCE: &str = "\
    UPDATE resend_tasks SET position = ?, resent = resent + ?, skipped = skipped + ?, \
        lease = NULL, due_at = now() \
    WHERE organization_id = ? AND id = ? AND lease = ?";

const END: &str = "\
    UPDATE resend_tasks SET status = ?, failure = ?, resent = resent + ?, skipped = skipped + ?, \
        message_count = CASE WHEN ? THEN resent + skipped + ? + ? ELSE message_count END, \
        recipients = NULL, metadata = NULL, lease = NULL, completed_at = now() \
    WHERE organization_id = ? AND id = ? AND lease = ?";

const PUT_OFF: &str = "\
    UPDATE resend_tasks SET lease = NULL, due_at = now() + make_interval(secs => ?::bigint / 1000.0) \
    WHERE organization_id = ? AND id = ? AND lease = ?";
