//! Sessions that were revoked before they expired.

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*, select};
use domain::identity::session::Claims;
use ports::{identity::auth::RevokedSessions, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore, error::store_error, query::run_query::RunQueryDsl,
    schema::revoked_sessions,
};

#[async_trait]
impl RevokedSessions for PgStore {
    async fn revoke(&self, session: &Claims) -> Result<bool, StoreError> {
        let row = (
            revoked_sessions::id.eq(session.id),
            revoked_sessions::expires_at.eq(session.expires_at),
        );
        let insert =
            diesel::insert_into(revoked_sessions::table).values(row).on_conflict_do_nothing();
        let inserted = insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(inserted > 0)
    }

    async fn is_revoked(&self, session: &Claims) -> Result<bool, StoreError> {
        let found = select(exists(revoked_sessions::table.find(session.id)));
        found.get_result(self.session().await?.conn()).await.map_err(store_error)
    }
}
