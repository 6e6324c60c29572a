//! API keys, each under its hash.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::{
    api_key::ApiKey,
    id::Id,
    organization::{Organization, Settings},
};
use ports::{api_keys::ApiKeyRepository, store::StoreError};
use uuid::Uuid;

use crate::{
    error::store_error,
    organizations::SettingsRow,
    schema::{api_keys, organizations},
    session::PgStore,
};

/// How exactly the last use of a key is known.
const PRECISION: TimeDelta = TimeDelta::minutes(1);

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

    async fn revoke(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let valid = api_keys::table
            .find(id.uuid())
            .filter(api_keys::organization_id.eq(organization.uuid()))
            .filter(api_keys::revoked_at.is_null());
        let update = diesel::update(valid).set(api_keys::revoked_at.eq(now));
        let revoked = update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(revoked > 0)
    }

    async fn find_by_hash(&self, hash: [u8; 32]) -> Result<Option<(ApiKey, Settings)>, StoreError> {
        let query = api_keys::table
            .inner_join(organizations::table)
            .filter(api_keys::hash.eq(hash.as_slice()))
            .filter(api_keys::revoked_at.is_null())
            .select((ApiKeyRow::as_select(), SettingsRow::as_select()));
        let row: Option<(ApiKeyRow, SettingsRow)> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(|(key, settings)| (key.into(), settings.into())))
    }

    async fn touch(
        &self,
        organization: Id<Organization>,
        id: Id<ApiKey>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        // Requests that come together would otherwise all write the same row.
        let stale = api_keys::table
            .find(id.uuid())
            .filter(api_keys::organization_id.eq(organization.uuid()))
            .filter(
                api_keys::last_used_at.is_null().or(api_keys::last_used_at.le(now - PRECISION)),
            );
        let update = diesel::update(stale).set(api_keys::last_used_at.eq(now));
        update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }
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
        }
    }
}
