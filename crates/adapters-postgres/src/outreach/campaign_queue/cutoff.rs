//! Cutoff of the contacts that a campaign is for.

use diesel_async::SimpleAsyncConnection;
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::session::PgStore, error::store_error, query::sql::sql};

impl PgStore {
    /// Sets the cutoff, once no transaction is adding contacts, and returns it.
    pub(super) async fn close_contacts(
        &self,
        organization: Id<Organization>,
        latest: Id<Contact>,
    ) -> Result<Id<Contact>, StoreError> {
        let opening = self.opening().await?;
        opening.conn().batch_execute(BEGIN).await.map_err(store_error)?;
        let mut session = opening.opened();
        // Every transaction that adds contacts locks this row until its commit.
        let close = sql!(
            "INSERT INTO contact_counts AS own (organization_id, contacts, newest_id) \
             VALUES ({organization}, 0, '00000000-0000-0000-0000-000000000000') \
             ON CONFLICT (organization_id) DO UPDATE \
             SET closed_to = greatest(own.closed_to, least(own.newest_id, {latest})) \
             RETURNING closed_to",
            organization,
            latest,
        );
        let closed: Uuid = close.only(session.conn()).await?;
        session.commit().await?;
        Ok(Uuid::from_u128(closed.as_u128().saturating_add(1)).into())
    }
}

/// An organization that adds contacts in long transactions delays only its own campaigns.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '2s'";
