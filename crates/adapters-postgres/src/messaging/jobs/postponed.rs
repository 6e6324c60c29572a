//! Postponed messages: they wait without a lease, and their validity counts from the time at which
//! they may be sent.

use std::collections::HashSet;

use domain::{
    messaging::{
        job::{JobPostponed, Step},
        message::{Message, Source},
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    query::{columns::column, json::Json, sql::sql},
};

/// Returns the steps that postpone a message.
pub(super) fn steps<'s>(steps: &[&'s Step]) -> Vec<&'s JobPostponed> {
    let mut postponed = Vec::new();
    for step in steps {
        if let Step::JobPostponed(step) = step {
            postponed.push(step);
        }
    }
    postponed
}

/// Records in the log when the messages may be sent. Returns those that still waited, under leases
/// that held.
pub(super) async fn logs(
    conn: &Connection,
    steps: &[&JobPostponed],
) -> Result<HashSet<Id<Message>>, StoreError> {
    if steps.is_empty() {
        return Ok(HashSet::new());
    }
    let note = sql!(
        LOGS,
        organizations = column(steps, organization),
        ids = column(steps, id),
        leases = column(steps, lease),
        statuses = column(steps, |step| step.message.delivery.status().as_str()),
        attempts = column(steps, |step| Json(step.message.attempts.as_slice())),
        valid_from = column(steps, |step| step.due_in.map(|_| step.message.valid_from)),
        expire_at = column(steps, |step| step.due_in.map(|_| step.message.expires_at)),
    );
    let noted: Vec<Id<Message>> = note.values(conn).await?;
    Ok(noted.into_iter().collect())
}

/// Frees the jobs until their messages may be sent, and returns the number of leases that held.
pub(super) async fn jobs(conn: &Connection, steps: &[&JobPostponed]) -> Result<usize, StoreError> {
    if steps.is_empty() {
        return Ok(0);
    }
    let postpone = sql!(
        JOBS,
        organizations = column(steps, organization),
        ids = column(steps, id),
        leases = column(steps, lease),
        provider_queues = column(steps, |step| step.provider_queue.0),
        holders = column(steps, waits_for),
        waits = column(steps, |step| {
            // Rounded up, or it would be postponed again.
            step.due_in.map(|wait| wait.num_milliseconds() + 1)
        }),
    );
    postpone.execute(conn).await
}

fn organization(step: &JobPostponed) -> Uuid {
    step.message.organization.uuid()
}

fn id(step: &JobPostponed) -> Uuid {
    step.message.id.uuid()
}

/// Returns the resource that can end the wait early: the suspended organization, or the campaign.
fn waits_for(step: &JobPostponed) -> Option<Uuid> {
    if step.is_suspended {
        return Some(organization(step));
    }
    step.message.source.and_then(Source::campaign).map(Uuid::from)
}

fn lease(step: &JobPostponed) -> Uuid {
    step.lease.0
}

const LOGS: &str = "\
    UPDATE delivery_logs log SET attempts = step.attempts, \
        valid_from = coalesce(step.valid_from, log.valid_from), \
        expires_at = coalesce(step.expires_at, log.expires_at) \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[], {statuses}::text[], \
            {attempts}::jsonb[], {valid_from}::timestamptz[], {expire_at}::timestamptz[]) \
        AS step (organization_id, id, lease, status, attempts, valid_from, expires_at) \
    JOIN delivery_jobs job \
        ON job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        AND log.status = step.status AND step.lease = job.lease \
    RETURNING log.id";

const JOBS: &str = "\
    UPDATE delivery_jobs job SET lease = NULL, line = step.line, is_ready = false, \
        held_by = step.held_by, \
        due_at = coalesce(now() + make_interval(secs => step.millis / 1000.0), 'infinity') \
    FROM UNNEST({organizations}::uuid[], {ids}::uuid[], {leases}::uuid[], \
            {provider_queues}::integer[], {holders}::uuid[], {waits}::bigint[]) \
        AS step (organization_id, id, lease, line, held_by, millis) \
    WHERE job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
        AND job.lease = step.lease";
