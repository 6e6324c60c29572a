//! Endpoints of which every call fails, and whose owners are to be notified.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{FailingEndpoint, FailingEndpoints},
};
use uuid::Uuid;

use super::key;
use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

#[async_trait]
impl FailingEndpoints for PgStore {
    async fn pending(
        &self,
        until: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<FailingEndpoint>, StoreError> {
        let query = Statement::<(SqlUuid, SqlUuid, Text, Timestamptz)>::returning(&[PENDING])
            .bind::<Timestamptz, _>(until)
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, Uuid, String, DateTime<Utc>)> =
            query.load(session.conn()).await.map_err(store_error)?;
        let endpoint = |(organization, id, url, since)| FailingEndpoint {
            key: key(organization, id),
            url,
            since,
        };
        Ok(rows.into_iter().map(endpoint).collect())
    }

    async fn mark_notified(
        &self,
        endpoint: &FailingEndpoint,
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::new(&[MARK_NOTIFIED])
            .bind::<Timestamptz, _>(at)
            .bind::<SqlUuid, _>(endpoint.key.organization.uuid())
            .bind::<SqlUuid, _>(endpoint.key.endpoint.uuid())
            .bind::<Timestamptz, _>(endpoint.since)
            .execute(session.conn())
            .await
            .map(drop)
            .map_err(store_error)
    }
}

const PENDING: &str = "\
    SELECT organization_id, id, url, failing_since FROM webhook_endpoints \
    WHERE failing_since <= ? AND notified_at IS NULL AND is_active ORDER BY failing_since LIMIT ?";

const MARK_NOTIFIED: &str = "\
    UPDATE webhook_endpoints SET notified_at = ? \
    WHERE organization_id = ? AND id = ? AND failing_since = ?";
