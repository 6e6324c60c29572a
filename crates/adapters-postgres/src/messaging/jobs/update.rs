//! Statements that write a batch of steps, one for each table.

use std::collections::HashSet;

use domain::{
    messaging::{
        attempt::Attempt,
        delivery::{Failure, Status},
        job::{AttemptBegun, JobConcluded, Step},
        message::Message,
        priority::ProviderQueue,
    },
    shared::id::Id,
};
use futures_util::future::try_join4;
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::{
    LEASE_SECONDS, confirmed, forgotten_text::forgets_text, handed_over, lock_order, postponed,
};
use crate::shared::{
    database::connection::Connection,
    query::{
        columns::column,
        json::Json,
        sql::{Place, Sql, sql},
    },
};

/// Updates the rows of the log, and returns the messages that were still in the expected state, and
/// whose leases, if the step has one, still held. The usual steps have statements of their own, which
/// bind and change less.
pub(super) async fn logs(
    conn: &Connection,
    steps: &[&Step],
) -> Result<HashSet<Id<Message>>, StoreError> {
    lock_order::keep(conn, steps).await?;
    let (mut handed, mut sure, mut late, mut others) = (vec![], vec![], vec![], vec![]);
    for &step in steps {
        match step {
            Step::JobConcluded(concluded) if handed_over::is_plain(concluded) => {
                handed.push(concluded);
            }
            Step::ReportApplied(applied) if confirmed::is_plain(applied) => sure.push(applied),
            Step::JobPostponed(postponed) => late.push(postponed),
            _ => others.push(step),
        }
    }
    let (mut logs, sure, late, others) = try_join4(
        handed_over::logs(conn, &handed),
        confirmed::logs(conn, &sure),
        postponed::logs(conn, &late),
        moved_logs(conn, &others),
    )
    .await?;
    logs.extend(sure);
    logs.extend(late);
    logs.extend(others);
    Ok(logs)
}

async fn moved_logs(
    conn: &Connection,
    steps: &[&Step],
) -> Result<HashSet<Id<Message>>, StoreError> {
    if steps.is_empty() {
        return Ok(HashSet::new());
    }
    let failures: Vec<Option<&Failure>> =
        steps.iter().map(|step| step.message().delivery.failure()).collect();
    let failure = |part: fn(&Failure) -> &str| -> Vec<Option<&str>> {
        failures.iter().map(|failure| failure.map(part)).collect()
    };
    let vendor_codes: Vec<Option<&str>> =
        failures.iter().map(|it| it.and_then(|it| it.vendor_code.as_deref())).collect();
    let update = sql!(
        LOGS,
        organizations = column(steps, organization),
        ids = column(steps, id),
        leases = column(steps, lease),
        previous_statuses = column(steps, |it| it.previous_status().as_str()),
        statuses = column(steps, |it| it.message().delivery.status().as_str()),
        providers = column(steps, |it| it.message().provider.as_deref()),
        attempts = column(steps, attempts),
        are_forgotten = column(steps, |it| forgets_text(it.message())),
        error_codes = failure(|it| it.code.as_str()),
        error_messages = failure(|it| it.message.as_str()),
        vendor_codes,
        sent_at = column(steps, |it| it.message().delivery.sent_at()),
        delivered_at = column(steps, |it| it.message().delivery.delivered_at()),
        failed_at = column(steps, |it| it.message().delivery.failed_at()),
    );
    let moved: Vec<Id<Message>> = update.values(conn).await?;
    Ok(moved.into_iter().collect())
}

fn organization(step: &Step) -> Uuid {
    step.message().organization.uuid()
}

fn id(step: &Step) -> Uuid {
    step.message().id.uuid()
}

fn lease(step: &Step) -> Option<Uuid> {
    step.lease().map(|lease| lease.0)
}

/// Returns the attempts of a worker's step; `None` for a report, which adds none.
fn attempts(step: &Step) -> Option<Json<'_, [Attempt]>> {
    match step {
        Step::AttemptBegun(AttemptBegun { message, .. })
        | Step::JobConcluded(JobConcluded { message, .. }) => Some(Json(&message.attempts)),
        Step::JobPostponed(_) | Step::ReportApplied(_) => None,
    }
}

/// Renews the leases that are kept, removes the jobs of which nothing is due any more, and frees
/// the others until they are due. Fails if a lease was lost since the log was updated.
pub(super) async fn jobs(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let (mut begun, mut over, mut due) = (Vec::new(), Vec::new(), Vec::new());
    for &step in steps {
        match (step, step.due_in()) {
            (Step::AttemptBegun(_), _) => begun.push(step),
            (Step::JobConcluded(_) | Step::ReportApplied(_), None) => over.push(step),
            (Step::JobConcluded(_) | Step::ReportApplied(_), Some(_)) => due.push(step),
            (Step::JobPostponed(_), _) => {}
        }
    }
    let postponed = postponed::steps(steps);
    let held = try_join4(
        renew(conn, &begun),
        remove(conn, &over),
        put_off(conn, &due),
        postponed::jobs(conn, &postponed),
    );
    let (begun, over, due, postponed) = held.await?;
    let held = begun + over + due + postponed;
    if held == steps.iter().filter(|step| step.lease().is_some()).count() {
        Ok(())
    } else {
        Err(StoreError::Unavailable("a lease ended while a step was written".into()))
    }
}

/// Renews the leases of workers' steps, and returns the number that held.
pub(super) async fn renew(conn: &Connection, steps: &[&Step]) -> Result<usize, StoreError> {
    if steps.is_empty() {
        return Ok(0);
    }
    let renew = sql!(
        RENEW,
        lease_seconds = LEASE_SECONDS,
        rounds = column(steps, rounds),
        organizations = column(steps, organization),
        ids = column(steps, id),
        leases = column(steps, lease),
    );
    held(conn, renew).await
}

async fn remove(conn: &Connection, over: &[&Step]) -> Result<usize, StoreError> {
    if over.is_empty() {
        return Ok(0);
    }
    let remove = sql!(
        REMOVE,
        organizations = column(over, organization),
        ids = column(over, id),
        leases = column(over, lease),
    );
    held(conn, remove).await
}

async fn put_off(conn: &Connection, due: &[&Step]) -> Result<usize, StoreError> {
    if due.is_empty() {
        return Ok(0);
    }
    let put_off = sql!(
        PUT_OFF,
        waits = column(due, |step| step.due_in().unwrap_or_default().num_milliseconds()),
        rounds = column(due, rounds),
        are_follow_ups = column(due, is_follow_up),
        provider_queues = column(due, provider_queue),
        organizations = column(due, organization),
        ids = column(due, id),
        leases = column(due, lease),
    );
    held(conn, put_off).await
}

/// Returns the number of rounds in which a provider was called; `None` for a report, which leaves
/// it unchanged.
fn rounds(step: &Step) -> Option<i16> {
    step.rounds().map(i16::from)
}

/// True if a provider is to be queried next, and not to be given the message.
fn is_follow_up(step: &Step) -> bool {
    step.message().delivery.status() != Status::Queued
}

/// Returns the queue in which the message waits for a provider.
fn provider_queue(step: &Step) -> i32 {
    match step {
        Step::JobConcluded(concluded) if !is_follow_up(step) => concluded.provider_queue.0,
        _ => ProviderQueue::FREE.0,
    }
}

/// Runs a statement on jobs, and returns the number of leases that held.
async fn held<P: Place>(conn: &Connection, statement: Sql<'_, P>) -> Result<usize, StoreError> {
    let held: i64 = statement.only(conn).await?;
    Ok(usize::try_from(held).unwrap_or_default())
}

/// Keeps the attempts of stale steps, unless the log has later ones: they took place all the same.
pub(super) async fn stale_attempts(conn: &Connection, steps: &[&Step]) -> Result<(), StoreError> {
    let mut steps = steps.to_vec();
    steps.retain(|step| step.lease().is_some() && !step.message().attempts.is_empty());
    if steps.is_empty() {
        return Ok(());
    }
    let keep = sql!(
        STALE_ATTEMPTS,
        organizations = column(&steps, organization),
        ids = column(&steps, id),
        providers = column(&steps, |it| it.message().provider.as_deref()),
        attempts = column(&steps, attempts),
        sent_at = column(&steps, |it| it.message().delivery.sent_at()),
    );
    keep.execute(conn).await?;
    Ok(())
}

const LOGS: &str = "\
    UPDATE delivery_logs log SET status = step.status, \
        provider = coalesce(step.provider, log.provider), \
        attempts = coalesce(step.attempts, log.attempts), \
        body = CASE WHEN NOT step.forgets THEN log.body WHEN log.is_confidential THEN '' \
            ELSE coalesce(log.text_notes -> 'masked' ->> 'body', log.body) END, \
        subject = CASE WHEN step.forgets AND (log.text_notes -> 'masked') IS NOT NULL \
            THEN log.text_notes -> 'masked' ->> 'subject' ELSE log.subject END, \
        text_notes = CASE WHEN step.forgets THEN log.text_notes - 'masked' \
            ELSE log.text_notes END, \
        vendor_template = CASE WHEN NOT step.forgets THEN log.vendor_template END, \
        error_code = step.error_code, error_message = step.error_message, \
        vendor_code = step.vendor_code, sent_at = step.sent_at, \
        delivered_at = step.delivered_at, failed_at = step.failed_at \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[], \
            {previous_statuses}::text[], {statuses}::text[], {providers}::text[], \
            {attempts}::jsonb[], {are_forgotten}::boolean[], {error_codes}::text[], \
            {error_messages}::text[], {vendor_codes}::text[], {sent_at}::timestamptz[], \
            {delivered_at}::timestamptz[], {failed_at}::timestamptz[]) \
        AS step (organization_id, id, lease, left_from, status, provider, attempts, forgets, \
            error_code, error_message, vendor_code, sent_at, delivered_at, failed_at) \
    LEFT JOIN delivery_jobs job \
        ON job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        AND log.status = step.left_from AND (step.lease IS NULL OR step.lease = job.lease) \
    RETURNING log.id";

const RENEW: &str = "\
    WITH given AS ( \
        UPDATE delivery_jobs job SET due_at = now() + make_interval(secs => {lease_seconds}::bigint), \
            rounds = coalesce(kept.rounds, job.rounds) \
        FROM UNNEST({rounds}::smallint[], {organizations}::uuid[], {ids}::uuid[], \
                {leases}::uuid[]) AS kept (rounds, organization_id, id, lease) \
        WHERE job.organization_id = ANY(ARRAY[kept.organization_id]) AND job.id = kept.id \
            AND job.lease = kept.lease RETURNING kept.lease \
    ) SELECT count(lease) FROM given";

/// A report removes the job regardless of its lease.
const REMOVE: &str = "\
    WITH given AS ( \
        DELETE FROM delivery_jobs job \
        USING UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[]) \
            AS over (organization_id, id, lease) \
        WHERE job.organization_id = ANY(ARRAY[over.organization_id]) AND job.id = over.id \
            AND (over.lease IS NULL OR job.lease = over.lease) \
        RETURNING over.lease \
    ) SELECT count(lease) FROM given";

const PUT_OFF: &str = "\
    WITH given AS ( \
        UPDATE delivery_jobs job SET lease = NULL, rounds = coalesce(put_off.rounds, job.rounds), \
            is_follow_up = put_off.is_follow_up, line = put_off.line, is_ready = put_off.millis <= 0, \
            held_by = NULL, \
            due_at = now() + make_interval(secs => put_off.millis / 1000.0) \
        FROM UNNEST({waits}::bigint[], {rounds}::smallint[], {are_follow_ups}::boolean[], \
                {provider_queues}::integer[], {organizations}::uuid[], {ids}::uuid[], \
                {leases}::uuid[]) \
            AS put_off (millis, rounds, is_follow_up, line, organization_id, id, lease) \
        WHERE job.organization_id = ANY(ARRAY[put_off.organization_id]) AND job.id = put_off.id \
            AND (put_off.lease IS NULL OR job.lease = put_off.lease) \
        RETURNING put_off.lease \
    ) SELECT count(lease) FROM given";

const STALE_ATTEMPTS: &str = "\
    UPDATE delivery_logs log SET attempts = late.attempts, \
        provider = coalesce(log.provider, late.provider), \
        sent_at = coalesce(log.sent_at, late.sent_at) \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {providers}::text[], \
            {attempts}::jsonb[], {sent_at}::timestamptz[]) \
        AS late (organization_id, id, provider, attempts, sent_at) \
    WHERE late.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[late.id]) \
        AND jsonb_array_length(log.attempts) <= jsonb_array_length(late.attempts) \
        AND coalesce((log.attempts -> -1 ->> 'startedAt')::timestamptz \
            <= (late.attempts -> -1 ->> 'startedAt')::timestamptz, true)";
