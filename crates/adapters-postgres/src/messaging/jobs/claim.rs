//! Claims of due jobs, from all instances at once.

use std::{collections::HashMap, time::Instant};

use diesel::prelude::*;
use domain::messaging::{
    job::{Job, Lease},
    message::Message,
    priority::ProviderQueue,
};
use ports::{messaging::messages::ClaimLimits, shared::store::StoreError};
use uuid::Uuid;

use super::{
    claim_progress::{ClaimProgress, PrioritizedQueue},
    claim_statement::{self, ClaimRow},
};
use crate::{
    messaging::delivery_logs::MessageRow,
    shared::{
        database::connection::Connection,
        error::store_error,
        query::{run_query::RunQueryDsl, sql::sql},
        schema::delivery_logs,
    },
};

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

async fn lease_due(
    conn: &mut Connection,
    lease: Lease,
    limits: &ClaimLimits,
    progress: &ClaimProgress,
) -> Result<HashMap<Uuid, Claimed>, StoreError> {
    let asked = progress.ask(limits, Instant::now());
    let rows: Vec<ClaimRow> = claim_statement::claim(asked, limits, lease).rows(conn).await?;
    let mut seen_until = None;
    let mut claimed = HashMap::with_capacity(rows.len());
    let mut last_turns = HashMap::<PrioritizedQueue, (i64, Uuid)>::new();
    for row in rows {
        seen_until = row.until;
        let (Some(priority), Some(provider_queue), Some(organization)) =
            (row.priority, row.line, row.organization_id)
        else {
            continue;
        };
        let turn = (row.number.unwrap_or(i64::MAX), organization);
        let last = last_turns.entry((priority, provider_queue)).or_insert(turn);
        *last = turn.max(*last);
        if let Some(id) = row.id {
            let rounds = u8::try_from(row.rounds.unwrap_or_default()).unwrap_or(u8::MAX);
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
    let organizations: Vec<_> =
        unreadable.iter().map(|(_, claimed)| claimed.organization).collect();
    let ids: Vec<_> = unreadable.iter().map(|(id, _)| *id).collect();
    let put_off = sql!(
        "UPDATE delivery_jobs job SET lease = NULL, due_at = now() + interval '1 hour' \
         FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) AS odd (organization_id, id) \
         WHERE job.organization_id = ANY(ARRAY[odd.organization_id]) AND job.id = odd.id \
            AND job.lease = {lease}",
        organizations,
        ids,
        lease = lease.0,
    );
    put_off.execute(conn).await?;
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
    let organizations: Vec<_> = orphans.values().map(|claimed| claimed.organization).collect();
    let ids: Vec<_> = orphans.keys().copied().collect();
    let forget = sql!(
        "DELETE FROM delivery_jobs job \
         USING UNNEST({organizations}::uuid[], {ids}::uuid[]) AS orphan (organization_id, id) \
         WHERE job.organization_id = ANY(ARRAY[orphan.organization_id]) AND job.id = orphan.id \
            AND NOT EXISTS (SELECT FROM delivery_logs log \
                WHERE job.organization_id = ANY(ARRAY[log.organization_id]) \
                    AND log.id = ANY(ARRAY[job.id]))",
        organizations,
        ids,
    );
    let removed = forget.execute(conn).await?;
    tracing::warn!(orphans = removed, "removed jobs without a message");
    Ok(())
}
