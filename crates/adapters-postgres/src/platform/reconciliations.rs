//! Reconciliations after restores of the database, and the messages that they examine.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{job::Job, message::Message, priority::ProviderQueue},
    platform::reconciliation::{LostTime, Position, Reconciliation, Stopped},
    shared::id::Id,
};
use ports::{
    platform::reconciliations::{Reconciliations, Taken},
    shared::store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    messaging::{
        delivery_logs,
        jobs::{LEASE_SECONDS, PgJobs},
    },
    shared::{
        database::{connection::Connection, instance::PgInstance, session::PgStore},
        error::corrupt,
        query::{json::Json, row::row, sql::sql},
    },
};

/// [`Reconciliations`] on `PostgreSQL`.
pub struct PgReconciliations {
    store: PgStore,
    instance: PgInstance,
}

row! {
    struct ReconciliationRow {
        since: DateTime<Utc>,
        until: DateTime<Utc>,
        position_organization_id: Option<Id<Organization>>,
        position_id: Option<Id<Message>>,
        findings: Value,
        finished_at: Option<DateTime<Utc>>,
    }
}

row! {
    /// Job that was leased.
    struct TakenJob {
        organization_id: Id<Organization>,
        id: Id<Message>,
        rounds: i16,
        line: i32,
    }
}

impl PgStore {
    /// Returns true if a reconciliation began and has not ended.
    pub async fn has_unfinished_reconciliation(&self) -> Result<bool, StoreError> {
        sql!("SELECT EXISTS (SELECT FROM reconciliations WHERE finished_at IS NULL)")
            .only(self.session().await?.conn())
            .await
    }
}

impl PgJobs {
    /// Returns the reconciliations in `store`, whose messages are taken under leases of the same instance.
    pub fn reconciliations(&self, store: PgStore) -> PgReconciliations {
        PgReconciliations { store, instance: self.instance().clone() }
    }
}

#[async_trait]
impl Reconciliations for PgReconciliations {
    async fn find(&self, since: DateTime<Utc>) -> Result<Option<Reconciliation>, StoreError> {
        let find = sql!(
            "SELECT since, until, position_organization_id, position_id, findings, finished_at \
             FROM reconciliations WHERE since = {since}",
            since,
        );
        let row: Option<ReconciliationRow> = find.row(self.store.session().await?.conn()).await?;
        row.map(Reconciliation::try_from).transpose()
    }

    async fn save(&self, reconciliation: &Reconciliation) -> Result<(), StoreError> {
        let (lost, position) = (reconciliation.lost, reconciliation.position);
        let save = sql!(
            "INSERT INTO reconciliations (since, until, position_organization_id, position_id, \
                findings, finished_at) \
             VALUES ({since}, {until}, {organization}, {message}, {findings}, {finished_at}) \
             ON CONFLICT (since) DO UPDATE SET \
                position_organization_id = EXCLUDED.position_organization_id, \
                position_id = EXCLUDED.position_id, findings = EXCLUDED.findings, \
                finished_at = EXCLUDED.finished_at",
            since = lost.since,
            until = lost.until,
            organization = position.map(|(organization, _)| organization),
            message = position.map(|(_, message)| message),
            findings = Json(&reconciliation.findings),
            finished_at = reconciliation.finished_at,
        );
        save.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn running_instances(&self, since: DateTime<Utc>) -> Result<u64, StoreError> {
        // The rows of the lost instances were restored too.
        let count = sql!(
            "SELECT count(*) FROM instances WHERE seen_at > {since} \
                AND seen_at > clock_timestamp() - interval '15 seconds'",
            since,
        );
        let running: i64 = count.only(self.store.session().await?.conn()).await?;
        Ok(running.unsigned_abs())
    }

    async fn newest_message(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        // Reads the index `delivery_logs_id`.
        let find = sql!("SELECT created_at FROM delivery_logs ORDER BY id DESC LIMIT 1");
        find.value(self.store.session().await?.conn()).await
    }

    async fn stop_senders(&self, lost: LostTime) -> Result<Stopped, StoreError> {
        let mut transaction = self.store.transaction().await?;
        let conn = transaction.conn();
        let stopped = Stopped {
            paused_campaigns: pause_campaigns(conn, lost).await?,
            ended_triggers: end_triggers(conn).await?,
            ended_resends: end_resends(conn).await?,
        };
        transaction.commit().await?;
        Ok(stopped)
    }

    async fn take(
        &self,
        lost: LostTime,
        position: Option<Position>,
        limit: usize,
    ) -> Result<Taken, StoreError> {
        let lease = self.instance.lease();
        let (organization, message) =
            position.unwrap_or((Id::of(Uuid::nil()), Id::of(Uuid::nil())));
        let take = sql!(
            TAKE,
            organization,
            message,
            until = lost.until,
            most = i64::try_from(limit).unwrap_or(i64::MAX),
            lease = lease.0,
            lease_seconds = LEASE_SECONDS,
        );
        let taken: Vec<TakenJob> = take.rows(self.store.session().await?.conn()).await?;
        let ids: Vec<_> = taken.iter().map(|job| job.id).collect();
        let mut messages = delivery_logs::find_all(&self.store, &ids).await?;
        let last = taken.last().map(|job| (job.organization_id, job.id));
        let jobs = taken.into_iter().filter_map(|TakenJob { id, rounds, line, .. }| {
            Some(Job {
                message: messages.remove(&id)?,
                lease,
                rounds: u8::try_from(rounds).unwrap_or(u8::MAX),
                provider_queue: ProviderQueue(line),
                is_scored: false,
            })
        });
        Ok(Taken { jobs: jobs.collect(), last })
    }

    async fn end_validity(
        &self,
        messages: &[Position],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let end = sql!(
            "UPDATE delivery_logs log SET expires_at = least(log.expires_at, {now}::timestamptz) \
             FROM UNNEST({organizations}::uuid[], {ids}::uuid[]) AS given (organization_id, id) \
             WHERE given.organization_id = ANY(ARRAY[log.organization_id]) \
                AND log.id = ANY(ARRAY[given.id])",
            now,
            organizations = messages.iter().map(|(it, _)| it.uuid()).collect::<Vec<_>>(),
            ids = messages.iter().map(|(_, it)| it.uuid()).collect::<Vec<_>>(),
        );
        end.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }
}

/// Pauses campaigns that have contacts left, as their users would. One that was to start in the lost time
/// starts when it is resumed.
async fn pause_campaigns(conn: &Connection, lost: LostTime) -> Result<u64, StoreError> {
    let pause = sql!(
        "UPDATE campaigns SET status = 'PAUSED', paused_reason = 'USER', needed_micros = NULL, \
            lease = NULL, due_at = NULL, updated_at = now() \
         WHERE status = 'SENDING' AND expanded_at IS NULL \
            OR status = 'PAUSED' AND paused_reason <> 'USER' \
            OR status = 'SCHEDULED' AND scheduled_at <= {until}",
        until = lost.until,
    );
    Ok(number(pause.execute(conn).await?))
}

async fn end_triggers(conn: &Connection) -> Result<u64, StoreError> {
    let end = sql!(
        "UPDATE triggers SET due_at = NULL, drafts = '[]', ended_at = now(), \
            expires_at = now() + interval '7 days' \
         WHERE ended_at IS NULL"
    );
    Ok(number(end.execute(conn).await?))
}

async fn end_resends(conn: &Connection) -> Result<u64, StoreError> {
    let end = sql!(
        "UPDATE resend_tasks SET status = 'FAILED', recipients = NULL, metadata = NULL, lease = NULL, \
            completed_at = now() \
         WHERE completed_at IS NULL"
    );
    Ok(number(end.execute(conn).await?))
}

fn number(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

impl TryFrom<ReconciliationRow> for Reconciliation {
    type Error = StoreError;

    fn try_from(row: ReconciliationRow) -> Result<Self, StoreError> {
        let findings = serde_json::from_value(row.findings)
            .map_err(|_| corrupt("reconciliations", row.since))?;
        Ok(Self {
            lost: LostTime { since: row.since, until: row.until },
            position: row.position_organization_id.zip(row.position_id),
            findings,
            finished_at: row.finished_at,
        })
    }
}

/// Walks over the jobs in the order of their key, and leases those that a worker may have had: under a
/// lease, followed up, or due in the lost time. A scheduled message was due at its own time, and not when
/// its job was made. The organization of a held job may have been suspended until a moment in the lost time.
const TAKE: &str = "\
    WITH chosen AS MATERIALIZED ( \
        SELECT job.organization_id, job.id FROM delivery_jobs job \
        WHERE (job.organization_id, job.id) > ({organization}::uuid, {message}::uuid) \
            AND job.id < (SELECT uuid_floor({until}::timestamptz)) \
            AND (job.lease IS NOT NULL OR job.is_follow_up OR job.due_at <= {until}::timestamptz \
                OR job.held_by = job.organization_id \
                OR job.due_at <= now() AND EXISTS (SELECT FROM delivery_logs log \
                    WHERE job.organization_id = ANY(ARRAY[log.organization_id]) \
                        AND log.id = ANY(ARRAY[job.id]) \
                        AND log.scheduled_at <= {until}::timestamptz)) \
        ORDER BY job.organization_id, job.id LIMIT {most}::bigint \
    ), leased AS ( \
        UPDATE delivery_jobs job SET lease = {lease}::uuid, is_ready = false, held_by = NULL, \
            due_at = now() + make_interval(secs => {lease_seconds}::bigint) \
        FROM chosen \
        WHERE job.organization_id = ANY(ARRAY[chosen.organization_id]) AND job.id = chosen.id \
        RETURNING job.organization_id, job.id, job.rounds, job.line \
    ) SELECT organization_id, id, rounds, line FROM leased ORDER BY organization_id, id";
