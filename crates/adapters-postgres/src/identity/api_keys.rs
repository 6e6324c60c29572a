//! API keys, stored under their hashes.

mod calls;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{dsl::now, prelude::*};
use domain::{
    identity::{
        api_key::ApiKey,
        key_calls::{Calls, KeyDay},
        organization::Organization,
    },
    shared::id::Id,
};
use ports::{
    identity::api_keys::{ApiKeyRepository, KeyUse, Rotation},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, sql::sql},
    schema::api_keys,
};

/// Maximum number of uses written by one statement.
const WRITTEN_AT_ONCE: usize = 1_000;

#[derive(HasQuery, Insertable)]
#[diesel(table_name = api_keys)]
struct ApiKeyRow {
    id: Uuid,
    organization_id: Uuid,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    is_sandbox: bool,
    expires_at: Option<DateTime<Utc>>,
    last_used_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    created_by: Option<Uuid>,
}

#[async_trait]
impl ApiKeyRepository for PgStore {
    async fn insert(&self, key: &ApiKey, hash: [u8; 32]) -> Result<(), StoreError> {
        let row = (ApiKeyRow::from(key), api_keys::hash.eq(hash.as_slice()));
        let insert = diesel::insert_into(api_keys::table).values(row);
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn list(&self, organization: Id<Organization>) -> Result<Vec<ApiKey>, StoreError> {
        let query = ApiKeyRow::query()
            .filter(api_keys::organization_id.eq(organization.uuid()))
            .filter(api_keys::revoked_at.is_null())
            .order(api_keys::id.desc());
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(ApiKey::from).collect())
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<ApiKey>, StoreError> {
        let query = ApiKeyRow::query()
            .filter(api_keys::organization_id.eq(organization.uuid()))
            .filter(api_keys::id.eq(id.uuid()))
            .filter(api_keys::revoked_at.is_null());
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(ApiKey::from))
    }

    async fn rotate(
        &self,
        id: Id<ApiKey>,
        ends_at: Option<DateTime<Utc>>,
        successor: &ApiKey,
        hash: [u8; 32],
    ) -> Result<Rotation, StoreError> {
        let mut transaction = self.transaction().await?;
        let rotate = sql!(
            "UPDATE api_keys SET rotated_at = now(), \
                expires_at = least(expires_at, {ends_at}::timestamptz), \
                revoked_at = CASE WHEN {ends_at}::timestamptz IS NULL THEN now() END \
             WHERE organization_id = {organization} AND id = {id} \
                AND revoked_at IS NULL AND rotated_at IS NULL \
             RETURNING hash",
            ends_at,
            organization = successor.organization,
            id,
        );
        let rotated: Option<Vec<u8>> = rotate.value(transaction.conn()).await?;
        let Some(rotated) = rotated.and_then(|hash| hash.try_into().ok()) else {
            drop(transaction);
            let found = self.find(successor.organization, id).await?;
            return Ok(found.map_or(Rotation::NotFound, |_| Rotation::AlreadyRotated));
        };
        let row = (ApiKeyRow::from(successor), api_keys::hash.eq(hash.as_slice()));
        let insert = diesel::insert_into(api_keys::table).values(row);
        insert.execute(transaction.conn()).await.map_err(store_error)?;
        transaction.commit().await?;
        Ok(Rotation::Done(rotated))
    }

    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        let valid = api_keys::table
            .find((organization.uuid(), id.uuid()))
            .filter(api_keys::revoked_at.is_null());
        let update =
            diesel::update(valid).set(api_keys::revoked_at.eq(now)).returning(api_keys::hash);
        let hash: Option<Vec<u8>> = update
            .get_result(self.session().await?.conn())
            .await
            .optional()
            .map_err(store_error)?;
        Ok(hash.and_then(|hash| hash.try_into().ok()))
    }

    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<ApiKey>, StoreError> {
        let query = ApiKeyRow::query()
            .filter(api_keys::hash.eq(hash.as_slice()))
            .filter(api_keys::revoked_at.is_null());
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(ApiKey::from))
    }

    async fn note_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        for uses in uses.chunks(WRITTEN_AT_ONCE) {
            let note = sql!(
                "UPDATE api_keys SET last_used_at = used.at \
                 FROM UNNEST({organizations}::uuid[], {keys}::uuid[], {times}::timestamptz[]) \
                    AS used (organization_id, key_id, at) \
                 WHERE api_keys.organization_id = used.organization_id \
                    AND api_keys.id = ANY(ARRAY[used.key_id]) \
                    AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < used.at)",
                organizations = column(uses, |it| it.organization),
                keys = column(uses, |it| it.key),
                times = column(uses, |it| it.at),
            );
            note.execute(session.conn()).await?;
        }
        Ok(())
    }

    async fn add_calls(&self, calls: &[(KeyDay, Calls)]) -> Result<(), StoreError> {
        calls::add(&mut self.session().await?, calls).await
    }

    async fn calls(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        since: NaiveDate,
    ) -> Result<Vec<(NaiveDate, Calls)>, StoreError> {
        calls::since(&mut self.session().await?, organization, id, since).await
    }
}

fn column<V>(uses: &[KeyUse], value: impl Fn(&KeyUse) -> V) -> Vec<V> {
    uses.iter().map(value).collect()
}

impl From<&ApiKey> for ApiKeyRow {
    fn from(key: &ApiKey) -> Self {
        Self {
            id: key.id.uuid(),
            organization_id: key.organization.uuid(),
            name: key.name.clone(),
            prefix: key.prefix.clone(),
            scopes: key.scopes.clone(),
            is_sandbox: key.is_sandbox,
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            created_at: key.created_at,
            created_by: key.created_by.map(Id::uuid),
        }
    }
}

impl From<ApiKeyRow> for ApiKey {
    fn from(row: ApiKeyRow) -> Self {
        Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            name: row.name,
            prefix: row.prefix,
            scopes: row.scopes,
            is_sandbox: row.is_sandbox,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
            created_at: row.created_at,
            created_by: row.created_by.map(Id::of),
        }
    }
}
