//! Endpoints of which every call has failed for a day.

use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Timestamptz, Uuid as SqlUuid};
use domain::{platform::notice::Notice, shared::id::Id, webhooks::webhook::NOTICE_AFTER};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    notices,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Maximum number of endpoints noted at a time.
const AT_ONCE: i64 = 50;

impl PgStore {
    /// Marks active endpoints that have been failing for a day as noted, and writes the notices of their
    /// owners. Returns the number of endpoints. Meant to be called every half a minute; any number of
    /// instances may do so at once.
    pub async fn note_failing_endpoints(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let note = Statement::<(SqlUuid, SqlUuid, Timestamptz)>::returning(&[NOTE])
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(now - NOTICE_AFTER)
            .bind::<BigInt, _>(AT_ONCE);
        let mut transaction = self.transaction().await?;
        let noted: Vec<(Uuid, Uuid, DateTime<Utc>)> =
            note.load(transaction.conn()).await.map_err(store_error)?;
        for (organization, endpoint, since) in &noted {
            let (organization, endpoint) = (Id::of(*organization), Id::of(*endpoint));
            let notice = Notice::of_failing_endpoint(organization, endpoint, *since, now);
            notices::insert(transaction.conn(), &notice).await?;
        }
        transaction.commit().await?;
        Ok(noted.len())
    }
}

const NOTE: &str = "\
    UPDATE webhook_endpoints SET notified_at = ? \
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM webhook_endpoints \
        WHERE failing_since <= ? AND notified_at IS NULL AND is_active \
        ORDER BY failing_since LIMIT ? FOR UPDATE SKIP LOCKED)) \
    RETURNING organization_id, id, failing_since";
