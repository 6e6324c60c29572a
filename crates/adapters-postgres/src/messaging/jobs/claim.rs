//! Claims of due jobs, from all instances at once.

use std::{collections::HashMap, time::Instant};

use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Integer, Nullable, SmallInt, Timestamptz, Uuid as SqlUuid},
};
use domain::messaging::{
    job::{Job, Lease},
    message::Message,
    priority::{Priority, ProviderQueue},
};
use ports::{messaging::messages::ClaimLimits, shared::store::StoreError};
use uuid::Uuid;

use super::{
    LEASE_SECONDS,
    claim_progress::{Asked, ClaimProgress, PrioritizedQueue, count},
    claim_statement::CLAIM,
};
use crate::{
    messaging::delivery_logs::MessageRow,
    shared::{
        database::connection::Connection,
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
        schema::delivery_logs,
    },
};

/// Maximum number of due jobs of a priority that a claim reads.
const DUE_WINDOW: i64 = 4_096;

/// Claimed job.
struct Claimed {
    organization: Uuid,
    rounds: u8,
    provider_queue: ProviderQueue,
}

/// Leases due jobs under `lease`, as many as `limits` allow.
pub(super) async fn claim(
    conn: &mut Connection,
    lease: Lease,
    limits: &ClaimLimits,
    progress: &ClaimProgress,
) -> Result<Vec<Job>, StoreError> {
    let claimed = lease_due(conn, lease, limits, progress).await?;
    if claimed.is_empty() {
        return Ok(Vec::new());
    }
    let (messages, unreadable) = messages(conn, claimed.keys().copied().collect()).await?;
    let mut orphans = claimed;
    let unreadable = unreadable.into_iter().filter_map(|id| Some((id, orphans.remove(&id)?)));
    put_off(conn, lease, unreadable.collect()).await?;
    let mut jobs = Vec::with_capacity(messages.len());
    for message in messages {
        if let Some(Claimed { rounds, provider_queue, .. }) = orphans.remove(&message.id.uuid()) {
            jobs.push(Job { message, lease, rounds, provider_queue, is_scored: false });
        }
    }
    forget_orphans(conn, orphans).await?;
    Ok(jobs)
}

/// Row of a claim. A column is `None` in rows that are not of a job.
type ClaimRow = (
    Option<DateTime<Utc>>,
    Option<i16>,
    Option<i32>,
    Option<Uuid>,
    Option<i64>,
    Option<Uuid>,
    Option<i16>,
);
type ClaimColumns = (
    Nullable<Timestamptz>,
    Nullable<SmallInt>,
    Nullable<Integer>,
    Nullable<SqlUuid>,
    Nullable<BigInt>,
    Nullable<SqlUuid>,
    Nullable<SmallInt>,
);

async fn lease_due(
    conn: &mut Connection,
    lease: Lease,
    limits: &ClaimLimits,
    progress: &ClaimProgress,
) -> Result<HashMap<Uuid, Claimed>, StoreError> {
    let Asked { priorities, provider_queues, jobs, after, since } =
        progress.ask(limits, Instant::now());
    let rows: Vec<ClaimRow> = Statement::<ClaimColumns>::returning(CLAIM)
        .bind::<Array<SmallInt>, _>(priorities)
        .bind::<Array<Integer>, _>(provider_queues)
        .bind::<Array<BigInt>, _>(jobs)
        .bind::<Array<Nullable<SqlUuid>>, _>(after)
        .bind::<Nullable<Timestamptz>, _>(since)
        .bind::<BigInt, _>(DUE_WINDOW)
        .bind::<BigInt, _>(count(limits.unknown_queues))
        .bind::<BigInt, _>(count(limits.total))
        .bind::<Array<SmallInt>, _>(Priority::ALL.map(Priority::rank).to_vec())
        .bind::<SqlUuid, _>(lease.0)
        .bind::<BigInt, _>(LEASE_SECONDS)
        .load(conn)
        .await
        .map_err(store_error)?;
    let mut seen_until = None;
    let mut claimed = HashMap::with_capacity(rows.len());
    let mut last_turns = HashMap::<PrioritizedQueue, (i64, Uuid)>::new();
    for (seen, priority, provider_queue, organization, number, id, rounds) in rows {
        seen_until = seen;
        let (Some(priority), Some(provider_queue), Some(organization)) =
            (priority, provider_queue, organization)
        else {
            continue;
        };
        let turn = (number.unwrap_or(i64::MAX), organization);
        let last = last_turns.entry((priority, provider_queue)).or_insert(turn);
        *last = turn.max(*last);
        if let Some(id) = id {
            let rounds = u8::try_from(rounds.unwrap_or_default()).unwrap_or(u8::MAX);
            claimed.insert(
                id,
                Claimed { organization, rounds, provider_queue: ProviderQueue(provider_queue) },
            );
        }
    }
    let last_turns = last_turns
        .into_iter()
        .map(|(provider_queue, (_, organization))| (provider_queue, organization));
    progress.note(seen_until, last_turns.collect());
    Ok(claimed)
}

/// Returns the messages, and those of them that cannot be read back.
async fn messages(
    conn: &mut Connection,
    ids: Vec<Uuid>,
) -> Result<(Vec<Message>, Vec<Uuid>), StoreError> {
    let rows: Vec<MessageRow> = MessageRow::query()
        .filter(delivery_logs::id.eq_any(ids))
        .order((delivery_logs::priority, delivery_logs::id))
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

/// Frees jobs that this version cannot process, for a while: another version may be able to read
/// them.
async fn put_off(
    conn: &mut Connection,
    lease: Lease,
    unreadable: Vec<(Uuid, Claimed)>,
) -> Result<(), StoreError> {
    if unreadable.is_empty() {
        return Ok(());
    }
    let organizations = unreadable.iter().map(|(_, claimed)| claimed.organization);
    Statement::new(&[PUT_OFF])
        .bind::<Array<SqlUuid>, _>(organizations.collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(unreadable.iter().map(|(id, _)| *id).collect::<Vec<_>>())
        .bind::<SqlUuid, _>(lease.0)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

/// Removes jobs whose messages no longer exist, as when a partition of the log was dropped.
async fn forget_orphans(
    conn: &mut Connection,
    orphans: HashMap<Uuid, Claimed>,
) -> Result<(), StoreError> {
    if orphans.is_empty() {
        return Ok(());
    }
    let organizations = orphans.values().map(|claimed| claimed.organization);
    let removed = Statement::new(&[FORGET_ORPHANS])
        .bind::<Array<SqlUuid>, _>(organizations.collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(orphans.keys().copied().collect::<Vec<_>>())
        .execute(conn)
        .await
        .map_err(store_error)?;
    tracing::warn!(orphans = removed, "removed jobs without a message");
    Ok(())
}

const PUT_OFF: &str = "\
    UPDATE delivery_jobs job SET lease = NULL, due_at = now() + interval '1 hour' \
    FROM UNNEST(?, ?) AS odd (organization_id, id) \
    WHERE job.organization_id = ANY(ARRAY[odd.organization_id]) AND job.id = odd.id \
        AND job.lease = ?";

const FORGET_ORPHANS: &str = "\
    DELETE FROM delivery_jobs job USING UNNEST(?, ?) AS orphan (organization_id, id) \
    WHERE job.organization_id = ANY(ARRAY[orphan.organization_id]) AND job.id = orphan.id \
        AND NOT EXISTS (SELECT FROM delivery_logs log \
            WHERE job.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[job.id]))";
