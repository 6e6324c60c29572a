//! Erasure of organizations that were closed 30 days ago.
//!
//! Rows are deleted table by table, in small batches by their keys, so any instance can continue after
//! another. The organization itself is erased last: until then it is found again.

use std::time::{Duration, Instant};

use diesel::{sql_query, sql_types};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, sql::sql},
};

/// Maximum number of rows deleted at a time, so that no statement takes long.
const BATCH: usize = 1_000;
/// Maximum time of a call. The rest follows with the next one.
const STRETCH: Duration = Duration::from_secs(10);

impl PgStore {
    /// Tables of organizations whose rows are erased, in the order of their erasure: what refers to
    /// other rows goes before them, and counts go after what they count.
    pub const ERASED_TABLES: &'static [&'static str] = &[
        "scheduled_messages",
        "delivery_jobs",
        "triggers",
        "sandbox_events",
        "provider_references",
        "conversations",
        "idempotency_keys",
        "request_keys",
        "message_resends",
        "resend_tasks",
        "log_export_parts",
        "log_exports",
        "unfinished_erasures",
        "erasure_walks",
        "contact_erasures",
        "delivery_logs",
        "delivery_log_slots",
        "message_figures",
        "webhook_deliveries",
        "outbound_events",
        "webhook_endpoints",
        "import_chunks",
        "import_errors",
        "imported_contacts",
        "imports",
        "campaign_skips",
        "campaigns",
        "campaign_counts",
        "campaign_reasons",
        "campaign_totals",
        "segment_members",
        "segments",
        "crossing_suppressions",
        "suppressions",
        "suppression_blocks",
        "suppression_counts",
        "unsubscribe_codes",
        "contact_job_parts",
        "contact_jobs",
        "contacts",
        "contact_blocks",
        "contact_counts",
        "approvals",
        "template_versions",
        "templates",
        "template_counts",
        "events",
        "sender_names",
        "recommendations",
        "notices",
        "traffic_alerts",
        "traffic_days",
        "traffic_hours",
        "refused_calls",
        "api_key_calls",
        "api_keys",
    ];

    /// Tables of organizations whose rows stay: the ledger and what explains it, invoices, the audit
    /// log, and the closing itself.
    pub const KEPT_TABLES: &'static [&'static str] = &[
        "audit_heads",
        "audit_log",
        // The daily figures of the platform are the sums of these.
        "delivery_log_counters",
        "invoice_numbers",
        "invoices",
        "ledger_entries",
        "ledger_heads",
        "ledger_hours",
        "organization_closings",
        "top_ups",
        "wallet_corrections",
        "wallet_credits",
        "wallets",
    ];

    /// Erases a part of the organization that was closed first, of those that cannot be restored any
    /// more. One that cannot be erased now does not delay the others. Returns true if more may be left.
    /// Any number of instances may do so at the same time.
    pub async fn erase_closed(&self) -> Result<bool, StoreError> {
        for organization in self.closed_for_good().await? {
            match self.erase_part(organization).await {
                Ok(()) => return Ok(true),
                Err(error) => {
                    tracing::warn!(%error, %organization, "failed to erase a closed organization");
                }
            }
        }
        Ok(false)
    }

    async fn erase_part(&self, organization: Uuid) -> Result<(), StoreError> {
        let began = Instant::now();
        let mut session = self.session().await?;
        let begin = sql!(
            "UPDATE organization_closings SET settled_at = coalesce(settled_at, now()), \
                erasing_since = coalesce(erasing_since, now()) \
             WHERE organization_id = {organization}",
            organization,
        );
        begin.execute(session.conn()).await?;
        for table in Self::ERASED_TABLES {
            for part in parts(session.conn(), table).await? {
                while delete_some(session.conn(), &part, organization).await? > 0 {
                    if began.elapsed() >= STRETCH {
                        return Ok(());
                    }
                }
                if has_rows(session.conn(), &part, organization).await? {
                    // Another instance is deleting them.
                    return Ok(());
                }
            }
        }
        drop(session);
        self.erase_identity(organization).await?;
        tracing::info!(%organization, "erased an organization that was closed");
        Ok(())
    }

    async fn closed_for_good(&self) -> Result<Vec<Uuid>, StoreError> {
        // An hour passes after the last moment at which a request may restore the organization: the
        // clocks of instances and of the database may differ.
        let closed = sql!(
            "SELECT id FROM organizations \
             WHERE closed_at < now() - interval '30 days 1 hour' AND erased_at IS NULL \
             ORDER BY closed_at LIMIT 10"
        );
        closed.values(self.session().await?.conn()).await
    }

    /// Removes the members of an organization, and its name and profile.
    async fn erase_identity(&self, organization: Uuid) -> Result<(), StoreError> {
        let mut session = self.transaction().await?;
        let conn = session.conn();
        sql!("DELETE FROM members WHERE organization_id = {organization}", organization)
            .execute(conn)
            .await?;
        sql!("DELETE FROM invitations WHERE organization_id = {organization}", organization)
            .execute(conn)
            .await?;
        sql!("DELETE FROM sender_name_claims WHERE organization_id = {organization}", organization)
            .execute(conn)
            .await?;
        sql!(ERASE_ORGANIZATION, organization).execute(conn).await?;
        session.commit().await
    }
}

/// Returns the partitions of a table, or the table itself if it has none.
async fn parts(conn: &mut Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let parts = sql!(
        "SELECT relid::regclass::text FROM pg_partition_tree(to_regclass({table})) WHERE isleaf",
        table,
    );
    let parts: Vec<String> = parts.values(conn).await?;
    Ok(if parts.is_empty() { vec![table.to_owned()] } else { parts })
}

/// Deletes a batch of an organization's rows, and returns their number.
async fn delete_some(
    conn: &mut Connection,
    table: &str,
    organization: Uuid,
) -> Result<usize, StoreError> {
    let delete = format!(
        "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} \
         WHERE organization_id = $1 LIMIT {BATCH} FOR UPDATE SKIP LOCKED))"
    );
    sql_query(delete)
        .bind::<sql_types::Uuid, _>(organization)
        .execute(conn)
        .await
        .map_err(store_error)
}

/// True if the organization has rows in the table.
async fn has_rows(
    conn: &mut Connection,
    table: &str,
    organization: Uuid,
) -> Result<bool, StoreError> {
    let find = sql_query(format!("SELECT FROM {table} WHERE organization_id = $1 LIMIT 1"));
    let found = find.bind::<sql_types::Uuid, _>(organization).execute(conn).await;
    Ok(found.map_err(store_error)? > 0)
}

const ERASE_ORGANIZATION: &str = "\
    UPDATE organizations SET name = 'Erased organization', industry = NULL, business_phone = NULL, \
        business_email = NULL, timezone = NULL, default_language = NULL, website = NULL, \
        monthly_volume = NULL, preferred_channels = '{}', suspension_reason = NULL, \
        opt_out_number = NULL, opt_out_ussd = NULL, \
        erased_at = now() \
    WHERE id = {organization}";
