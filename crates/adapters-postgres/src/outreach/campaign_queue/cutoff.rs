//! Cutoff of the contacts that a campaign is for.

use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::SimpleAsyncConnection;
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

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
        let close = Statement::<SqlUuid>::returning(&[CLOSE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(latest.uuid());
        let closed: Uuid = close.get_result(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(Uuid::from_u128(closed.as_u128().saturating_add(1)).into())
    }
}

/// An organization that adds contacts in long transactions delays only its own campaigns.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '2s'";

/// Every transaction that adds contacts locks this row until its commit.
const CLOSE: &str = "\
    INSERT INTO contact_counts AS own (organization_id, contacts, newest_id) \
    VALUES (?, 0, '00000000-0000-0000-0000-000000000000') ON CONFLICT (organization_id) \
    DO UPDATE SET closed_to = greatest(own.closed_to, least(own.newest_id, ?)) RETURNING closed_to";
