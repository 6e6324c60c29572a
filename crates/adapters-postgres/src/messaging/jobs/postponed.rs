//! Postponed messages: they wait without a lease, and their validity counts from the time at which
//! they may be sent.

use std::collections::HashSet;

use diesel::sql_types::{
    Array, BigInt, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
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
    error::store_error,
    query::{json::Json, run_query::RunQueryDsl, statement::Statement},
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
    mut conn: &Connection,
    steps: &[&JobPostponed],
) -> Result<HashSet<Id<Message>>, StoreError> {
    let noted: Vec<Uuid> = Statement::<SqlUuid>::returning(&[LOGS])
        .bind::<Array<SqlUuid>, _>(column(steps, organization))
        .bind::<Array<SqlUuid>, _>(column(steps, id))
        .bind::<Array<SqlUuid>, _>(column(steps, lease))
        .bind::<Array<Text>, _>(column(steps, |step| step.message.delivery.status().as_str()))
        .bind::<Array<Jsonb>, _>(column(steps, |step| Json(step.message.attempts.as_slice())))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(steps, |step| {
            step.due_in.map(|_| step.message.valid_from)
        }))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(steps, |step| {
            step.due_in.map(|_| step.message.expires_at)
        }))
        .load(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(noted.into_iter().map(Id::of).collect())
}

/// Frees the jobs until their messages may be sent, and returns the number of leases that held.
pub(super) async fn jobs(
    mut conn: &Connection,
    steps: &[&JobPostponed],
) -> Result<usize, StoreError> {
    if steps.is_empty() {
        return Ok(0);
    }
    let postpone = Statement::new(&[JOBS])
        .bind::<Array<SqlUuid>, _>(column(steps, organization))
        .bind::<Array<SqlUuid>, _>(column(steps, id))
        .bind::<Array<SqlUuid>, _>(column(steps, lease))
        .bind::<Array<Integer>, _>(column(steps, |step| step.provider_queue.0))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(steps, waits_for))
        .bind::<Array<Nullable<BigInt>>, _>(column(steps, |step| {
            // Rounded up, or it would be postponed again.
            step.due_in.map(|wait| wait.num_milliseconds() + 1)
        }));
    postpone.execute(&mut conn).await.map_err(store_error)
}

fn column<'s, V>(steps: &[&'s JobPostponed], value: impl Fn(&'s JobPostponed) -> V) -> Vec<V> {
    steps.iter().map(|step| value(step)).collect()
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
    FROM UNNEST(?, ?, ?, ?, ?, ?, ?) AS step (organization_id, id, lease, status, attempts, \
        valid_from, expires_at) \
    JOIN delivery_jobs job \
        ON job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
    WHERE step.organization_id = ANY(ARRAY[log.organization_id]) AND log.id = ANY(ARRAY[step.id]) \
        AND log.status = step.status AND step.lease = job.lease \
    RETURNING log.id";

const JOBS: &str = "\
    UPDATE delivery_jobs job SET lease = NULL, line = step.line, is_ready = false, \
        held_by = step.held_by, \
        due_at = coalesce(now() + make_interval(secs => step.millis / 1000.0), 'infinity') \
    FROM UNNEST(?, ?, ?, ?, ?, ?) \
        AS step (organization_id, id, lease, line, held_by, millis) \
    WHERE job.organization_id = ANY(ARRAY[step.organization_id]) AND job.id = step.id \
        AND job.lease = step.lease";
