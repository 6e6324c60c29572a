//! Claiming due jobs, from all instances at once.

use std::collections::HashMap;

use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Integer, SmallInt, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    job::{Job, Lease},
    lane::Line,
    message::Message,
};
use ports::{messages::ClaimLimits, store::StoreError};
use uuid::Uuid;

use super::LEASE_SECONDS;
use crate::{
    connection::Connection, delivery_logs::MessageRow, error::store_error, schema::delivery_logs,
    statement::Statement,
};

/// Leases due jobs under `lease`, as many as `limits` allow.
pub(super) async fn claim(
    conn: &mut Connection,
    lease: Lease,
    limits: &ClaimLimits,
) -> Result<Vec<Job>, StoreError> {
    let lines = &limits.lines;
    let claimed: Vec<(Uuid, i16, i32)> =
        Statement::<Claim, (SqlUuid, SmallInt, Integer)>::new(&[CLAIM])
            .bind::<Array<SmallInt>, _>(lines.iter().map(|it| it.lane.rank()).collect::<Vec<_>>())
            .bind::<Array<Integer>, _>(lines.iter().map(|it| it.line.0).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(lines.iter().map(|it| count(it.jobs)).collect::<Vec<_>>())
            .bind::<BigInt, _>(count(limits.unknown_lines))
            .bind::<BigInt, _>(count(limits.total))
            .bind::<SqlUuid, _>(lease.0)
            .bind::<BigInt, _>(LEASE_SECONDS)
            .load(conn)
            .await
            .map_err(store_error)?;
    if claimed.is_empty() {
        return Ok(Vec::new());
    }
    let known: HashMap<Uuid, (i16, i32)> =
        claimed.into_iter().map(|(id, rounds, line)| (id, (rounds, line))).collect();
    let (messages, unreadable) = messages(conn, known.keys().copied().collect()).await?;
    let found = messages.len() + unreadable.len();
    put_off(conn, lease, unreadable).await?;
    let jobs: Vec<_> = messages
        .into_iter()
        .map(|message| {
            let (rounds, line) = known.get(&message.id.uuid()).copied().unwrap_or_default();
            let rounds = u8::try_from(rounds).unwrap_or(u8::MAX);
            Job { message, lease, rounds, line: Line(line) }
        })
        .collect();
    forget_orphans(conn, known.keys().copied().collect(), found).await?;
    Ok(jobs)
}

fn count(jobs: usize) -> i64 {
    i64::try_from(jobs).unwrap_or(i64::MAX)
}

/// The messages, and which of them cannot be read back.
async fn messages(
    conn: &mut Connection,
    ids: Vec<Uuid>,
) -> Result<(Vec<Message>, Vec<Uuid>), StoreError> {
    let rows: Vec<MessageRow> = MessageRow::query()
        .filter(delivery_logs::id.eq_any(ids))
        .order((delivery_logs::lane, delivery_logs::id))
        .load(conn)
        .await
        .map_err(store_error)?;
    let (mut messages, mut unreadable) = (Vec::new(), Vec::new());
    for row in rows {
        let id = row.id;
        match Message::try_from(row) {
            Ok(message) => messages.push(message),
            Err(error) => {
                tracing::error!(message_id = %id, %error, "failed to read a message");
                metrics::counter!("atumpan_messages_unreadable_total").increment(1);
                unreadable.push(id);
            }
        }
    }
    Ok((messages, unreadable))
}

/// Frees jobs that nobody can work on, for a while: another version may read what they hold.
async fn put_off(
    conn: &mut Connection,
    lease: Lease,
    unreadable: Vec<Uuid>,
) -> Result<(), StoreError> {
    if unreadable.is_empty() {
        return Ok(());
    }
    Statement::<PutOff>::new(&[PUT_OFF])
        .bind::<Array<SqlUuid>, _>(unreadable)
        .bind::<SqlUuid, _>(lease.0)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Removes jobs whose messages are gone, as when a partition of the log was dropped.
async fn forget_orphans(
    conn: &mut Connection,
    ids: Vec<Uuid>,
    found: usize,
) -> Result<(), StoreError> {
    if ids.len() == found {
        return Ok(());
    }
    let orphans = Statement::<ForgetOrphans>::new(&[FORGET_ORPHANS])
        .bind::<Array<SqlUuid>, _>(ids)
        .execute(conn)
        .await
        .map_err(store_error)?;
    tracing::warn!(orphans, "removed jobs without a message");
    Ok(())
}

/// Walks from one lane, organization and line that has jobs to the next, which costs an index probe
/// each, takes due jobs from each in turn, and locks those that nobody else has. Of a line without
/// room it takes a few that have been due for ten minutes.
struct Claim;
const CLAIM: &str = "\
    WITH RECURSIVE room AS MATERIALIZED ( \
        SELECT * FROM UNNEST(?, ?, ?) AS room (lane, line, jobs) \
    ), turn AS ( \
        (SELECT lane, organization_id, line FROM delivery_jobs \
         ORDER BY lane, organization_id, line LIMIT 1) \
        UNION ALL \
        SELECT next.lane, next.organization_id, next.line FROM turn CROSS JOIN LATERAL ( \
            SELECT lane, organization_id, line FROM delivery_jobs job \
            WHERE (job.lane, job.organization_id, job.line) \
                > (turn.lane, turn.organization_id, turn.line) \
            ORDER BY lane, organization_id, line LIMIT 1) AS next \
    ), asked AS ( \
        SELECT turn.lane, turn.organization_id, turn.line, \
            CASE WHEN given.jobs > 0 THEN given.jobs ELSE 64 END AS jobs, \
            CASE WHEN given.jobs > 0 THEN now() ELSE now() - interval '10 minutes' END AS due_at \
        FROM turn LEFT JOIN room USING (lane, line) \
            CROSS JOIN LATERAL (SELECT coalesce(room.jobs, ?) AS jobs) AS given \
    ), oldest AS ( \
        SELECT job.id, job.place, asked.lane, asked.jobs, \
            row_number() OVER (PARTITION BY asked.lane, asked.line ORDER BY job.place) AS number \
        FROM asked CROSS JOIN LATERAL ( \
            SELECT id, row_number() OVER (ORDER BY due_at) AS place FROM ( \
                SELECT id, due_at FROM delivery_jobs job \
                WHERE job.lane = asked.lane AND job.organization_id = asked.organization_id \
                    AND job.line = asked.line AND job.due_at <= asked.due_at \
                ORDER BY due_at LIMIT asked.jobs) AS oldest) AS job \
    ), due AS ( \
        SELECT id FROM oldest WHERE number <= jobs ORDER BY lane, place LIMIT ? \
    ), free AS ( \
        SELECT id FROM delivery_jobs WHERE id = ANY(ARRAY(SELECT id FROM due)) AND due_at <= now() \
        FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE delivery_jobs job SET lease = ?, due_at = now() + make_interval(secs => ?::bigint) \
    WHERE job.id = ANY(ARRAY(SELECT id FROM free)) RETURNING job.id, job.rounds, job.line";

struct PutOff;
const PUT_OFF: &str = "\
    UPDATE delivery_jobs SET lease = NULL, due_at = now() + interval '1 hour' \
    WHERE id = ANY(?) AND lease = ?";

struct ForgetOrphans;
const FORGET_ORPHANS: &str = "\
    DELETE FROM delivery_jobs job WHERE id = ANY(?) \
        AND NOT EXISTS (SELECT FROM delivery_logs log WHERE log.id = job.id)";
