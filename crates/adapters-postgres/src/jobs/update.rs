//! What a batch of steps writes, one statement for each table.

use std::collections::HashSet;

use diesel::sql_types::{
    Array, BigInt, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    delivery::{Failure, Status},
    id::Id,
    job::Step,
    message::Message,
};
use futures_util::future::try_join3;
use ports::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use super::LEASE_SECONDS;
use crate::{error::store_error, statement::Statement};

/// Moves the lines of the log, and returns those that were still where the step left from, and whose
/// leases, where the step shows one, still hold: their jobs are locked.
pub(super) async fn logs(
    mut conn: &AsyncPgConnection,
    steps: &[&Step],
) -> Result<HashSet<Id<Message>>, StoreError> {
    if steps.is_empty() {
        return Ok(HashSet::new());
    }
    let failures: Vec<Option<&Failure>> =
        steps.iter().map(|step| step.message.delivery.failure()).collect();
    let failure = |part: fn(&Failure) -> &str| -> Vec<Option<&str>> {
        failures.iter().map(|failure| failure.map(part)).collect()
    };
    let vendor_codes: Vec<Option<&str>> =
        failures.iter().map(|it| it.and_then(|it| it.vendor_code.as_deref())).collect();
    let moved: Vec<Uuid> = Statement::<Logs, SqlUuid>::new(&[LOGS])
        .bind::<Array<SqlUuid>, _>(column(steps, |it| it.message.id.uuid()))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(steps, |it| it.lease.map(|lease| lease.0)))
        .bind::<Array<Text>, _>(column(steps, |it| it.from.as_str()))
        .bind::<Array<Text>, _>(column(steps, |it| it.message.delivery.status().as_str()))
        .bind::<Array<Nullable<Text>>, _>(column(steps, |it| it.message.provider.as_deref()))
        .bind::<Array<Nullable<Jsonb>>, _>(attempts(steps)?)
        .bind::<Array<Bool>, _>(column(steps, forgets_body))
        .bind::<Array<Nullable<Text>>, _>(failure(|it| it.code.as_str()))
        .bind::<Array<Nullable<Text>>, _>(failure(|it| it.message.as_str()))
        .bind::<Array<Nullable<Text>>, _>(vendor_codes)
        .bind::<Array<Nullable<Timestamptz>>, _>(column(steps, |it| it.message.delivery.sent_at()))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(steps, |it| {
            it.message.delivery.delivered_at()
        }))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(steps, |it| {
            it.message.delivery.failed_at()
        }))
        .load(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(moved.into_iter().map(Id::of).collect())
}

fn column<'s, V>(steps: &[&'s Step], value: impl Fn(&'s Step) -> V) -> Vec<V> {
    steps.iter().map(|step| value(step)).collect()
}

/// The attempts of each step that shows a lease; a report adds none.
fn attempts(steps: &[&Step]) -> Result<Vec<Option<Value>>, StoreError> {
    let json =
        |step: &&Step| step.lease.map(|_| serde_json::to_value(&step.message.attempts)).transpose();
    let json: Result<Vec<_>, _> = steps.iter().map(json).collect();
    json.map_err(|error| StoreError::Internal(error.into()))
}

/// A confidential text is kept no longer than it takes to hand it over.
fn forgets_body(step: &Step) -> bool {
    let is_waiting = matches!(step.message.delivery.status(), Status::Queued | Status::Pending);
    step.message.is_confidential && !is_waiting
}

/// Renews the leases that are kept, removes the jobs of which nothing is due any more, and frees
/// the others until they are.
pub(super) async fn jobs(conn: &AsyncPgConnection, steps: &[&Step]) -> Result<(), StoreError> {
    let (kept, freed): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|step| step.keeps_lease);
    let (due, over): (Vec<&Step>, Vec<&Step>) =
        freed.into_iter().partition(|step| step.due_in.is_some());
    try_join3(renew(conn, &kept), remove(conn, &over), put_off(conn, &due)).await?;
    Ok(())
}

async fn renew(mut conn: &AsyncPgConnection, kept: &[&Step]) -> Result<(), StoreError> {
    if !kept.is_empty() {
        Statement::<Renew>::new(&[RENEW])
            .bind::<BigInt, _>(LEASE_SECONDS)
            .bind::<Array<SqlUuid>, _>(column(kept, |it| it.message.id.uuid()))
            .execute(&mut conn)
            .await
            .map_err(store_error)?;
    }
    Ok(())
}

async fn remove(mut conn: &AsyncPgConnection, over: &[&Step]) -> Result<(), StoreError> {
    if !over.is_empty() {
        Statement::<Remove>::new(&[REMOVE])
            .bind::<Array<SqlUuid>, _>(column(over, |it| it.message.id.uuid()))
            .execute(&mut conn)
            .await
            .map_err(store_error)?;
    }
    Ok(())
}

async fn put_off(mut conn: &AsyncPgConnection, due: &[&Step]) -> Result<(), StoreError> {
    if !due.is_empty() {
        let wait = |step: &Step| step.due_in.unwrap_or_default().num_milliseconds();
        let is_follow_up = |step: &Step| step.message.delivery.status() != Status::Queued;
        Statement::<PutOff>::new(&[PUT_OFF])
            .bind::<Array<SqlUuid>, _>(column(due, |it| it.message.id.uuid()))
            .bind::<Array<BigInt>, _>(column(due, wait))
            .bind::<Array<SmallInt>, _>(column(due, |it| i16::from(it.rounds)))
            .bind::<Array<Bool>, _>(column(due, is_follow_up))
            .execute(&mut conn)
            .await
            .map_err(store_error)?;
    }
    Ok(())
}

/// Keeps the attempts of steps that came too late, unless more is known by now: they took place all
/// the same.
pub(super) async fn late_attempts(
    mut conn: &AsyncPgConnection,
    steps: &[&Step],
) -> Result<(), StoreError> {
    let is_attempt = |step: &&&Step| step.lease.is_some() && !step.message.attempts.is_empty();
    let steps: Vec<&Step> = steps.iter().filter(is_attempt).copied().collect();
    if steps.is_empty() {
        return Ok(());
    }
    Statement::<LateAttempts>::new(&[LATE_ATTEMPTS])
        .bind::<Array<SqlUuid>, _>(column(&steps, |it| it.message.id.uuid()))
        .bind::<Array<Nullable<Text>>, _>(column(&steps, |it| it.message.provider.as_deref()))
        .bind::<Array<Nullable<Jsonb>>, _>(attempts(&steps)?)
        .bind::<Array<Nullable<Timestamptz>>, _>(column(&steps, |it| it.message.delivery.sent_at()))
        .execute(&mut conn)
        .await
        .map_err(store_error)?;
    Ok(())
}

struct Logs;
const LOGS: &str = "\
    WITH step AS ( \
        SELECT * FROM UNNEST(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS step (id, lease, left_from, \
            status, provider, attempts, forgets, error_code, error_message, vendor_code, sent_at, \
            delivered_at, failed_at) \
    ), held AS ( \
        SELECT job.id FROM delivery_jobs job JOIN step ON job.id = step.id AND job.lease = step.lease \
        ORDER BY job.id FOR UPDATE OF job \
    ) \
    UPDATE delivery_logs log SET status = step.status, \
        provider = coalesce(step.provider, log.provider), \
        attempts = coalesce(step.attempts, log.attempts), \
        body = CASE WHEN step.forgets THEN '' ELSE log.body END, \
        vendor_template = CASE WHEN NOT step.forgets THEN log.vendor_template END, \
        error_code = step.error_code, error_message = step.error_message, \
        vendor_code = step.vendor_code, sent_at = step.sent_at, \
        delivered_at = step.delivered_at, failed_at = step.failed_at \
    FROM step \
    WHERE log.id = step.id AND log.status = step.left_from \
        AND (step.lease IS NULL OR step.id IN (SELECT id FROM held)) \
    RETURNING log.id";

struct Renew;
const RENEW: &str = "\
    UPDATE delivery_jobs SET due_at = now() + make_interval(secs => ?::bigint) WHERE id = ANY(?)";

struct Remove;
const REMOVE: &str = "DELETE FROM delivery_jobs WHERE id = ANY(?)";

struct PutOff;
const PUT_OFF: &str = "\
    UPDATE delivery_jobs job SET lease = NULL, rounds = put_off.rounds, \
        is_follow_up = put_off.is_follow_up, \
        due_at = now() + make_interval(secs => put_off.millis / 1000.0) \
    FROM UNNEST(?, ?, ?, ?) AS put_off (id, millis, rounds, is_follow_up) \
    WHERE job.id = put_off.id";

struct LateAttempts;
const LATE_ATTEMPTS: &str = "\
    UPDATE delivery_logs log SET attempts = late.attempts, \
        provider = coalesce(log.provider, late.provider), \
        sent_at = coalesce(log.sent_at, late.sent_at) \
    FROM UNNEST(?, ?, ?, ?) AS late (id, provider, attempts, sent_at) \
    WHERE log.id = late.id \
        AND jsonb_array_length(log.attempts) <= jsonb_array_length(late.attempts)";
