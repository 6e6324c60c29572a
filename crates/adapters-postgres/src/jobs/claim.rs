//! Claiming due jobs, from all instances at once.

use std::collections::HashMap;

use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, SmallInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    job::{Job, Lease},
    message::Message,
};
use ports::store::StoreError;
use uuid::Uuid;

use super::LEASE_SECONDS;
use crate::{
    connection::Connection, delivery_logs::MessageRow, error::store_error, schema::delivery_logs,
    statement::Statement,
};

/// Leases up to `limit` due jobs under `lease`.
pub(super) async fn claim(
    conn: &mut Connection,
    lease: Lease,
    limit: usize,
) -> Result<Vec<Job>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let claimed: Vec<(Uuid, i16)> = Statement::<Claim, (SqlUuid, SmallInt)>::new(&[CLAIM])
        .bind::<BigInt, _>(limit)
        .bind::<BigInt, _>(limit)
        .bind::<SqlUuid, _>(lease.0)
        .bind::<BigInt, _>(LEASE_SECONDS)
        .load(conn)
        .await
        .map_err(store_error)?;
    if claimed.is_empty() {
        return Ok(Vec::new());
    }
    let rounds: HashMap<Uuid, i16> = claimed.into_iter().collect();
    let messages = messages(conn, rounds.keys().copied().collect()).await?;
    let jobs: Vec<_> = messages
        .into_iter()
        .map(|message| {
            let rounds = rounds.get(&message.id.uuid()).copied().unwrap_or_default();
            let rounds = u8::try_from(rounds).unwrap_or(u8::MAX);
            Job { message, lease, rounds, is_fresh: false }
        })
        .collect();
    forget_orphans(conn, &rounds, &jobs).await?;
    Ok(jobs)
}

async fn messages(conn: &mut Connection, ids: Vec<Uuid>) -> Result<Vec<Message>, StoreError> {
    let rows: Vec<MessageRow> = MessageRow::query()
        .filter(delivery_logs::id.eq_any(ids))
        .order((delivery_logs::lane, delivery_logs::id))
        .load(conn)
        .await
        .map_err(store_error)?;
    let messages = rows.into_iter().filter_map(|row| {
        let unreadable = |error| tracing::error!(%error, "a message cannot be read back");
        Message::try_from(row).map_err(unreadable).ok()
    });
    Ok(messages.collect())
}

/// Removes jobs whose messages are gone, as when a partition of the log was dropped.
async fn forget_orphans(
    conn: &mut Connection,
    claimed: &HashMap<Uuid, i16>,
    jobs: &[Job],
) -> Result<(), StoreError> {
    if claimed.len() == jobs.len() {
        return Ok(());
    }
    let ids: Vec<Uuid> = claimed.keys().copied().collect();
    let orphans = Statement::<ForgetOrphans>::new(&[FORGET_ORPHANS])
        .bind::<Array<SqlUuid>, _>(ids)
        .execute(conn)
        .await
        .map_err(store_error)?;
    tracing::warn!(orphans, "jobs without a message were removed");
    Ok(())
}

/// Walks from one lane and organization that has jobs to the next, which costs an index probe each,
/// takes due jobs from each in turn, and locks those that nobody else has.
struct Claim;
const CLAIM: &str = "\
    WITH RECURSIVE turn AS ( \
        (SELECT lane, organization_id FROM delivery_jobs ORDER BY lane, organization_id LIMIT 1) \
        UNION ALL \
        SELECT next.lane, next.organization_id FROM turn CROSS JOIN LATERAL ( \
            SELECT lane, organization_id FROM delivery_jobs job \
            WHERE (job.lane, job.organization_id) > (turn.lane, turn.organization_id) \
            ORDER BY lane, organization_id LIMIT 1) AS next \
    ), due AS ( \
        SELECT job.id FROM turn CROSS JOIN LATERAL ( \
            SELECT id, row_number() OVER (ORDER BY due_at) AS place FROM ( \
                SELECT id, due_at FROM delivery_jobs job \
                WHERE job.lane = turn.lane AND job.organization_id = turn.organization_id \
                    AND job.due_at <= now() \
                ORDER BY due_at LIMIT ?) AS oldest) AS job \
        ORDER BY turn.lane, job.place LIMIT ? \
    ), free AS ( \
        SELECT id FROM delivery_jobs WHERE id = ANY(ARRAY(SELECT id FROM due)) AND due_at <= now() \
        FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE delivery_jobs job SET lease = ?, due_at = now() + make_interval(secs => ?::bigint) \
    WHERE job.id = ANY(ARRAY(SELECT id FROM free)) RETURNING job.id, job.rounds";

struct ForgetOrphans;
const FORGET_ORPHANS: &str = "\
    DELETE FROM delivery_jobs job WHERE id = ANY(?) \
        AND NOT EXISTS (SELECT FROM delivery_logs log WHERE log.id = job.id)";
