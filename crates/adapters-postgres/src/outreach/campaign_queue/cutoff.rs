//! Cutoff of the contacts that a campaign is for.

use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::session::PgStore, query::sql::sql};

impl PgStore {
    /// Sets the cutoff, once no transaction is adding contacts, and returns it.
    pub(super) async fn close_contacts(
        &self,
        organization: Id<Organization>,
        latest: Id<Contact>,
    ) -> Result<Id<Contact>, StoreError> {
        let close = sql!("SELECT close_contacts({organization}, {latest})", organization, latest);
        let closed: Uuid = close.only(self.session().await?.conn()).await?;
        Ok(Uuid::from_u128(closed.as_u128().saturating_add(1)).into())
    }
}
