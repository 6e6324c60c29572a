//! What has to be done now and then.

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use ports::store::StoreError;

use crate::{
    error::store_error,
    session::{PgSession, PgStore},
};

/// Makes the partitions of the months to come.
pub(crate) const PREPARE: &str = "SELECT prepare_delivery_logs(3)";

/// How many rows are deleted at a time, so that no statement takes long.
const BATCH: usize = 5_000;

/// What is kept for a while only, as `table WHERE condition`.
const EXPIRED: [(&str, &str); 8] = [
    ("idempotency_keys", "expires_at <= now()"),
    ("password_reset_tokens", "expires_at <= now()"),
    ("email_verification_tokens", "expires_at <= now()"),
    ("provider_minutes", "minute < now() - interval '2 days'"),
    ("provider_health", "at < now() - interval '90 days'"),
    ("sessions", "heard_at < now() - interval '7 days'"),
    ("provider_references", "message_id < uuid_floor(now() - interval '7 days')"),
    ("login_attempts", "window_start < now() - interval '1 day'"),
];

impl PgStore {
    /// Makes room for the messages of the coming months and deletes what has expired. Meant to be
    /// called daily; any number of instances may do so at once.
    pub async fn maintain(&self) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        let prepared = sql_query(PREPARE).execute(session.conn()).await.map_err(store_error);
        for (table, condition) in EXPIRED {
            purge(&mut session, table, condition).await?;
        }
        prepared.map(drop)
    }
}

async fn purge(session: &mut PgSession, table: &str, condition: &str) -> Result<(), StoreError> {
    let delete = format!(
        "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {condition} \
         LIMIT {BATCH} FOR UPDATE SKIP LOCKED))"
    );
    while sql_query(&delete).execute(session.conn()).await.map_err(store_error)? == BATCH {}
    Ok(())
}
