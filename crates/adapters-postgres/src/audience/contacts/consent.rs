//! Contacts with and without a recorded consent.

use diesel::sql_types::{BigInt, Bool, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::search::LONG_LOOK;
use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{
        run_query::RunQueryDsl,
        search::{Found, one_more},
        statement::Statement,
    },
};

impl PgSession {
    /// Returns the newest contacts that have a consent, or those that have none.
    pub(super) async fn newest_by_consent(
        &mut self,
        organization: Id<Organization>,
        is_consented: bool,
    ) -> Result<Found, StoreError> {
        let contacts = self.count_contacts(organization).await?;
        let query = Statement::<SqlUuid>::returning(&[NEWEST_BY_CONSENT])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Bool, _>(is_consented)
            .bind::<BigInt, _>(LONG_LOOK)
            .bind::<BigInt, _>(one_more(MOST_FOUND));
        let newest: Vec<Uuid> = query.load(self.conn()).await.map_err(store_error)?;
        Ok(Found::of(newest, contacts <= LONG_LOOK))
    }
}

const NEWEST_BY_CONSENT: &str = "SELECT newest_contacts_by_consent(?, ?, ?, ?)";
