//! Contacts with and without a recorded consent.

use diesel::sql_types::{Array, BigInt, Bool, Uuid as SqlUuid};
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

    /// Returns those of the found contacts that have a consent, or those that have none; all of them
    /// without a wish.
    pub(super) async fn of_consent(
        &mut self,
        organization: Id<Organization>,
        found: Found,
        is_consented: Option<bool>,
    ) -> Result<Found, StoreError> {
        let Some(is_consented) = is_consented else { return Ok(found) };
        let query = Statement::<SqlUuid>::returning(&[OF_CONSENT])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Array<SqlUuid>, _>(&found.ids)
            .bind::<Bool, _>(is_consented);
        let ids: Vec<Uuid> = query.load(self.conn()).await.map_err(store_error)?;
        Ok(Found::of(ids, !found.is_lower_bound))
    }
}

const NEWEST_BY_CONSENT: &str = "SELECT newest_contacts_by_consent(?, ?, ?, ?)";

const OF_CONSENT: &str = "\
    SELECT id FROM contacts \
    WHERE organization_id = ? AND id = ANY(?) AND (consent_at IS NOT NULL) = ?";
