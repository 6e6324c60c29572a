//! Hourly maintenance: partitions for coming months, and deletion of expired rows.

use std::time::{Duration, Instant};

use diesel::sql_query;
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, sql::sql},
};

/// Maximum number of rows deleted at a time, so that no statement takes long.
const BATCH: usize = 5_000;
/// Maximum time for deletions from one table. The rest follows the next time.
const STRETCH: Duration = Duration::from_secs(120);

/// Rows that are kept for a limited time, as `table WHERE condition`. Each is found by an index.
const EXPIRED: &[(&str, &str)] = &[
    ("idempotency_keys", "expires_at <= now()"),
    ("request_keys", "expires_at <= now()"),
    ("password_reset_tokens", "expires_at <= now()"),
    ("email_verification_tokens", "expires_at <= now()"),
    ("invitations", "expires_at <= now()"),
    ("invitation_mails", "window_start < now() - interval '1 day'"),
    ("revoked_sessions", "expires_at <= now()"),
    ("sessions", "expires_at <= now()"),
    ("login_attempts", "window_start < now() - interval '1 day'"),
    ("provider_minutes", "minute < now() - interval '2 days'"),
    ("messaging_windows", "heard_at < now() - interval '7 days'"),
    ("provider_references", "message_id < uuid_floor(now() - interval '7 days')"),
    ("provider_health", "at < now() - interval '90 days'"),
    // Rows in the default partitions that are of past months, written with a wrong clock.
    ("webhook_deliveries_other", "id < uuid_floor(now() - interval '30 days')"),
    ("outbound_events_other", "id < uuid_floor(now() - interval '30 days')"),
    (
        "delivery_logs_other",
        "id < (SELECT uuid_floor(kept_since) FROM delivery_log_retention) \
         AND NOT EXISTS (SELECT FROM delivery_jobs job \
             WHERE job.organization_id = delivery_logs_other.organization_id \
                 AND job.id = delivery_logs_other.id) \
         AND NOT EXISTS (SELECT FROM scheduled_messages scheduled \
             WHERE scheduled.organization_id = delivery_logs_other.organization_id \
                 AND scheduled.id = delivery_logs_other.id) \
         AND NOT is_sandbox",
    ),
    // After that messages are counted by the day, and later not at all.
    ("delivery_log_slots", "starts_at < hours_kept_since()"),
    ("delivery_log_counters", "span = 'HOUR' AND starts_at < hours_kept_since()"),
    // Except the platform's own: they are subtracted from the counts of all messages, which are
    // kept for ever.
    (
        "delivery_log_counters",
        "span = 'DAY' AND starts_at < date_trunc('day', now() - interval '25 months', 'UTC') \
         AND organization_id <> '00000000-0000-7000-8000-000000000000'",
    ),
    (
        "message_figures",
        "span = 'DAY' AND starts_at < date_trunc('day', now() - interval '25 months', 'UTC')",
    ),
    // Their messages are gone.
    ("message_resends", "message_id < (SELECT uuid_floor(kept_since) FROM delivery_log_retention)"),
    ("resend_tasks", "completed_at < now() - interval '30 days'"),
    // With the parts that are left of those that failed.
    ("contact_jobs", "finished_at < now() - interval '30 days'"),
    // Deleted before their exports, each of which may have hundreds.
    (
        "log_export_parts",
        "(organization_id, export_id) IN \
            (SELECT organization_id, id FROM log_exports WHERE kept_until <= now())",
    ),
    ("log_exports", "kept_until <= now()"),
    // Someone who was not written to for so long no longer knows what a STOP would refer to.
    ("conversations", "written_at < now() - interval '2 years'"),
    // Deleted before their imports, each of which may have a hundred thousand.
    ("import_errors", "import_id < uuid_floor(now() - interval '30 days')"),
    // No import can be undone a day before that.
    ("imported_contacts", "import_id < uuid_floor(now() - interval '7 days')"),
    ("imports", "status IN ('COMPLETED', 'FAILED') AND created_at < now() - interval '30 days'"),
    ("triggers", "expires_at <= now()"),
    // Uploads of an instance that ended before the file was complete.
    ("imports", "status = 'UPLOADING' AND created_at < now() - interval '1 hour'"),
    ("approvals", "closed_at < now() - interval '25 months'"),
    // As long as figures name them.
    ("templates", "deleted_at < now() - interval '25 months'"),
    ("top_ups", "status IN ('FAILED', 'ABANDONED') AND created_at < now() - interval '25 months'"),
    ("webhook_endpoints", "NOT is_active AND changed_at < now() - interval '25 months'"),
    ("gateway_events", "received_at < now() - interval '25 months'"),
    ("payment_exceptions", "resolved_at < now() - interval '25 months'"),
    // Nobody reads them any more.
    ("simulated_payments", "created_at < now() - interval '90 days'"),
    ("traffic_hours", "hour < now() - interval '9 days'"),
    ("traffic_range_hours", "hour < now() - interval '9 days'"),
    ("traffic_days", "day < (now() AT TIME ZONE 'UTC')::date - 31"),
    ("traffic_alerts", "found_at < now() - interval '90 days'"),
    ("notices", "ended_at < now() - interval '30 days'"),
    ("api_key_calls", "day < (now() AT TIME ZONE 'UTC')::date - 31"),
    ("refused_calls", "at < now() - interval '7 days'"),
    ("changes", "at < now() - interval '1 hour'"),
    // A trigger of the database protects newer rows.
    ("audit_log", "at < now() - interval '25 months'"),
    // Before their campaigns, each of which may have a million.
    (
        "campaign_skips",
        "created_at < greatest(now() - interval '25 months', \
            (SELECT kept_since FROM delivery_log_retention))",
    ),
    (
        "campaigns",
        "status IN ('REJECTED', 'COMPLETED', 'CANCELLED', 'FAILED') \
         AND updated_at < now() - interval '25 months'",
    ),
];

impl PgStore {
    /// Creates partitions for the coming months and deletes expired rows. A failure does not stop
    /// the other steps; the first error is returned. Meant to be called every hour; any number of
    /// instances may do so at once.
    pub async fn maintain(&self) -> Result<(), StoreError> {
        let mut done = self.prepare_months().await;
        done = done.and(self.drop_recent_months().await);
        done = done.and(self.purge_sandbox().await);
        done = done.and(self.roll_figures_up().await);
        done = done.and(self.forget_withdrawn_texts().await);
        done = done.and(self.cancel_forgotten_campaigns().await.map(drop));
        for (table, condition) in EXPIRED {
            let purged = self.purge(table, condition).await;
            if let Err(error) = &purged {
                tracing::warn!(%error, table, "failed to delete expired rows");
            }
            done = done.and(purged);
        }
        done
    }

    async fn purge(&self, table: &str, condition: &str) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let delete = format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} \
             WHERE {condition} LIMIT {BATCH} FOR UPDATE SKIP LOCKED))"
        );
        let began = Instant::now();
        while began.elapsed() < STRETCH {
            let deleted = sql_query(&delete).execute(session.conn()).await.map_err(store_error)?;
            if deleted < BATCH {
                break;
            }
        }
        Ok(())
    }

    /// Removes the texts of approvals that were withdrawn a month ago: nobody decided about them,
    /// and each edit of a template leaves one.
    async fn forget_withdrawn_texts(&self) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let began = Instant::now();
        while began.elapsed() < STRETCH {
            let forget = sql!(
                "UPDATE approvals SET subject = NULL, body = '', issues = '[]' \
                 WHERE ctid = ANY (ARRAY( \
                    SELECT ctid FROM approvals \
                    WHERE closed_at < now() - interval '30 days' AND verdict IS NULL \
                        AND body <> '' \
                    LIMIT {most} FOR UPDATE SKIP LOCKED))",
                most = i64::try_from(BATCH).unwrap_or(i64::MAX),
            );
            if forget.execute(session.conn()).await? < BATCH {
                break;
            }
        }
        Ok(())
    }

    /// Deletes the messages of the sandbox after a week, with everything that depends on them. The
    /// counts of the log follow through the journal, in the same transaction.
    async fn purge_sandbox(&self) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let began = Instant::now();
        while began.elapsed() < STRETCH {
            let purge = sql!(PURGE_SANDBOX, most = SANDBOX_BATCH);
            let purged: i64 = purge.only(session.conn()).await.inspect_err(|error| {
                tracing::warn!(%error, "failed to delete old messages of the sandbox");
            })?;
            if purged < SANDBOX_BATCH {
                break;
            }
        }
        Ok(())
    }
}

/// Maximum number of messages of the sandbox deleted at a time.
const SANDBOX_BATCH: i64 = 1_000;

const PURGE_SANDBOX: &str = "\
    WITH gone AS ( \
        DELETE FROM delivery_logs WHERE id = ANY(ARRAY( \
            SELECT id FROM delivery_logs \
            WHERE is_sandbox AND id < uuid_floor(now() - interval '7 days') \
            ORDER BY id LIMIT {most} FOR UPDATE SKIP LOCKED)) \
        RETURNING id, organization_id, created_at, channel, status, segments, cost_micros \
    ), idle AS ( \
        DELETE FROM delivery_jobs job USING gone \
        WHERE job.organization_id = ANY(ARRAY[gone.organization_id]) AND job.id = gone.id \
    ), unknown AS ( \
        DELETE FROM provider_references WHERE message_id = ANY(ARRAY(SELECT id FROM gone)) \
    ), noted AS ( \
        DELETE FROM sandbox_events note USING gone \
        WHERE note.organization_id = ANY(ARRAY[gone.organization_id]) \
            AND note.message_id = ANY(ARRAY[gone.id]) \
        RETURNING note.organization_id, note.event_id \
    ), pending AS ( \
        DELETE FROM outbound_events event USING noted \
        WHERE event.organization_id = ANY(ARRAY[noted.organization_id]) \
            AND event.id = ANY(ARRAY[noted.event_id]) \
    ), addressed AS MATERIALIZED ( \
        SELECT noted.organization_id, endpoint.id AS endpoint_id, noted.event_id \
        FROM noted JOIN webhook_endpoints endpoint \
            ON endpoint.organization_id = ANY(ARRAY[noted.organization_id]) \
    ), undelivered AS ( \
        DELETE FROM webhook_deliveries delivery USING addressed \
        WHERE delivery.organization_id = ANY(ARRAY[addressed.organization_id]) \
            AND delivery.endpoint_id = ANY(ARRAY[addressed.endpoint_id]) \
            AND delivery.id = ANY(ARRAY[addressed.event_id]) \
    ), line AS ( \
        SELECT organization_id, date_trunc('minute', created_at, 'UTC') AS slot, channel, status, \
            -count(*) AS messages, -sum(segments) AS segments, -sum(cost_micros)::bigint AS cost \
        FROM gone GROUP BY 1, 2, 3, 4 \
    ), counted AS ( \
        INSERT INTO journal (id, written_at, organization_ids, slots, channels, statuses, \
            are_sandbox, messages, segments, costs_micros, payer_ids, debits_micros, paid_messages) \
        SELECT uuid_v7(clock_timestamp()), now(), \
            array_agg(organization_id), array_agg(slot), array_agg(channel), \
            array_agg(status), array_agg(true), array_agg(messages), array_agg(segments), \
            array_agg(cost), '{}', '{}', '{}' \
        FROM line HAVING count(*) > 0 \
    ) SELECT count(*) FROM gone";
