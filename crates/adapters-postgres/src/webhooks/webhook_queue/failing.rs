//! Endpoints of which every call has failed for a day.

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::notice::Notice,
    shared::id::Id,
    webhooks::webhook::{NOTICE_AFTER, WebhookEndpoint},
};
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    notices,
    query::{row::row, sql::sql},
};

/// Maximum number of endpoints noted at a time.
const AT_ONCE: i64 = 50;

row! {
    struct NotedRow {
        organization_id: Id<Organization>,
        id: Id<WebhookEndpoint>,
        failing_since: DateTime<Utc>,
    }
}

impl PgStore {
    /// Marks active endpoints that have been failing for a day as noted, and writes the notices of their
    /// owners. Returns the number of endpoints. Meant to be called every half a minute; any number of
    /// instances may do so at once.
    pub async fn note_failing_endpoints(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let note = sql!(
            "UPDATE webhook_endpoints SET notified_at = {now} \
             WHERE ctid = ANY(ARRAY(SELECT ctid FROM webhook_endpoints \
                WHERE failing_since <= {failing_since} AND notified_at IS NULL AND is_active \
                ORDER BY failing_since LIMIT {most} FOR UPDATE SKIP LOCKED)) \
             RETURNING organization_id, id, failing_since",
            now,
            failing_since = now - NOTICE_AFTER,
            most = AT_ONCE,
        );
        let mut transaction = self.transaction().await?;
        let noted: Vec<NotedRow> = note.rows(transaction.conn()).await?;
        for NotedRow { organization_id, id, failing_since } in &noted {
            let notice = Notice::of_failing_endpoint(*organization_id, *id, *failing_since, now);
            notices::insert(transaction.conn(), &notice).await?;
        }
        transaction.commit().await?;
        Ok(noted.len())
    }
}
