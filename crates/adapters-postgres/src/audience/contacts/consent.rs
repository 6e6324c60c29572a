//! Contacts with and without a recorded consent.

use domain::{
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND},
};
use ports::shared::store::StoreError;

use super::search::LONG_LOOK;
use crate::shared::{
    database::session::PgSession,
    query::{
        search::{Found, one_more},
        sql::sql,
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
        let query = sql!(
            "SELECT newest_contacts_by_consent( \
                {organization}, {is_consented}, {looked_at}, {most})",
            organization,
            is_consented,
            looked_at = LONG_LOOK,
            most = one_more(MOST_FOUND),
        );
        let newest = query.values(self.conn()).await?;
        Ok(Found::of(newest, contacts <= LONG_LOOK))
    }
}
