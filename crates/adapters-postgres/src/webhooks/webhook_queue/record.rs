//! Results of attempts.

use chrono::{DateTime, Utc};
use domain::webhooks::webhook::{CallFailure, Deactivation};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{AfterAttempt, DeliveryAttempt, EndpointChange, EndpointKey},
};

use super::{PgWebhookQueue, columns};
use crate::shared::{database::session::PgSession, query::sql::sql};

impl PgWebhookQueue {
    pub(super) async fn write(
        &self,
        attempts: &[DeliveryAttempt],
        changes: &[EndpointChange],
    ) -> Result<(), StoreError> {
        let mut session = self.store.session().await?;
        if !attempts.is_empty() {
            write_attempts(&mut session, attempts).await?;
        }
        if !changes.is_empty() {
            self.write_changes(&mut session, changes).await?;
        }
        let over: Vec<&EndpointChange> =
            changes.iter().filter(|change| change.deactivation.is_some()).collect();
        if !over.is_empty() {
            self.deactivate(&mut session, &over).await?;
        }
        Ok(())
    }

    async fn write_changes(
        &self,
        session: &mut PgSession,
        changes: &[EndpointChange],
    ) -> Result<(), StoreError> {
        let mut changes: Vec<&EndpointChange> = changes.iter().collect();
        changes.sort_unstable_by_key(|change| change.key);
        let keys: Vec<EndpointKey> = changes.iter().map(|change| change.key).collect();
        let (organizations, endpoints) = columns(&keys);
        let succeeded: Vec<bool> = changes.iter().map(|change| change.has_succeeded).collect();
        let since: Vec<Option<DateTime<Utc>>> =
            changes.iter().map(|change| change.failing_since).collect();
        sql!(CHANGE, organizations, endpoints, succeeded, since, lease = self.lease.0)
            .execute(session.conn())
            .await?;
        Ok(())
    }

    async fn deactivate(
        &self,
        session: &mut PgSession,
        over: &[&EndpointChange],
    ) -> Result<(), StoreError> {
        let keys: Vec<EndpointKey> = over.iter().map(|change| change.key).collect();
        let (organizations, endpoints) = columns(&keys);
        let reasons: Vec<Option<&str>> =
            over.iter().map(|change| change.deactivation.map(Deactivation::as_str)).collect();
        sql!(DEACTIVATE, organizations, endpoints, reasons, lease = self.lease.0)
            .execute(session.conn())
            .await?;
        Ok(())
    }
}

async fn write_attempts(
    session: &mut PgSession,
    attempts: &[DeliveryAttempt],
) -> Result<(), StoreError> {
    let keys: Vec<EndpointKey> = attempts.iter().map(|attempt| attempt.key).collect();
    let (organizations, endpoints) = columns(&keys);
    let record = sql!(
        RECORD,
        organizations,
        endpoints,
        ids = column(attempts, |it| it.id),
        earlier = column(attempts, |it| small(it.earlier)),
        times = column(attempts, |it| it.at),
        status_codes = column(attempts, |it| it.status_code.map(small)),
        failures = column(attempts, |it| it.failure.map(CallFailure::as_str)),
        took = column(attempts, |it| {
            i32::try_from(it.took.num_milliseconds()).unwrap_or(i32::MAX)
        }),
        statuses = column(attempts, status),
        delays = column(attempts, |it| match it.next {
            AfterAttempt::Retry(delay) => Some(delay.num_milliseconds()),
            AfterAttempt::Delivered | AfterAttempt::Failed => None,
        }),
    );
    record.execute(session.conn()).await?;
    Ok(())
}

fn column<V>(attempts: &[DeliveryAttempt], value: impl Fn(&DeliveryAttempt) -> V) -> Vec<V> {
    attempts.iter().map(value).collect()
}

fn small(number: u16) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}

const fn status(attempt: &DeliveryAttempt) -> &'static str {
    match attempt.next {
        AfterAttempt::Delivered => "DELIVERED",
        AfterAttempt::Retry(_) => "PENDING",
        AfterAttempt::Failed => "FAILED",
    }
}

/// If two instances made the same attempt, the first writes it, and the other one changes
/// nothing. The key is that of the primary index as a whole: with the condition that `due_at` is
/// not null, the index of due deliveries might be read instead. Its first column alone is compared
/// as an array: were all compared plainly, a plan made for an empty table would read an index from
/// end to end; were all arrays, it would use the organization alone.
const RECORD: &str = "\
    UPDATE webhook_deliveries delivery SET status = made.status, \
        due_at = clock_timestamp() + make_interval(secs => made.delay / 1000.0), \
        attempts = delivery.attempts + 1, attempted_at = made.at, status_code = made.status_code, \
        failure = made.failure, took_millis = made.took \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[], {ids}::uuid[], {earlier}::smallint[], \
            {times}::timestamptz[], {status_codes}::smallint[], {failures}::text[], {took}::integer[], \
            {statuses}::text[], {delays}::bigint[]) \
        AS made (organization_id, endpoint_id, id, earlier, at, status_code, failure, took, status, \
            delay) \
    WHERE delivery.organization_id = ANY(ARRAY[made.organization_id]) \
        AND delivery.endpoint_id = made.endpoint_id AND delivery.id = made.id \
        AND delivery.attempts = made.earlier AND delivery.status = 'PENDING'";

/// An endpoint that fails already keeps the start of its failures.
const CHANGE: &str = "\
    UPDATE webhook_endpoints endpoint SET \
        failing_since = CASE WHEN change.succeeded THEN change.since \
            ELSE coalesce(endpoint.failing_since, change.since) END, \
        notified_at = CASE WHEN NOT change.succeeded THEN endpoint.notified_at END \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[], {succeeded}::boolean[], \
            {since}::timestamptz[]) \
        AS change (organization_id, id, succeeded, since) \
    WHERE endpoint.organization_id = ANY(ARRAY[change.organization_id]) \
        AND endpoint.id = ANY(ARRAY[change.id]) AND endpoint.lease = {lease}";

/// A new activation starts afresh.
const DEACTIVATE: &str = "\
    UPDATE webhook_endpoints endpoint SET is_active = false, deactivation = ended.reason, \
        failing_since = NULL, notified_at = NULL, lease = NULL, leased_until = NULL \
    FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[], {reasons}::text[]) \
        AS ended (organization_id, id, reason) \
    WHERE endpoint.organization_id = ANY(ARRAY[ended.organization_id]) \
        AND endpoint.id = ANY(ARRAY[ended.id]) AND endpoint.is_active AND endpoint.lease = {lease}";
