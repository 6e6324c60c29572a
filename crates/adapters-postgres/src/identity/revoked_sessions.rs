//! Tokens and sessions that were ended before they expired.

use async_trait::async_trait;
use diesel::prelude::*;
use domain::identity::session::Claims;
use ports::{identity::auth::RevokedSessions, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore, error::store_error, query::run_query::RunQueryDsl,
    schema::revoked_sessions,
};

#[async_trait]
impl RevokedSessions for PgStore {
    async fn revoke(&self, token: &Claims) -> Result<bool, StoreError> {
        let row =
            (revoked_sessions::id.eq(token.id), revoked_sessions::expires_at.eq(token.expires_at));
        let insert =
            diesel::insert_into(revoked_sessions::table).values(row).on_conflict_do_nothing();
        let inserted = insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(inserted > 0)
    }
}
