//! Keys that are created once, and used by all instances.

use ports::shared::store::StoreError;

use crate::shared::{database::session::PgStore, query::sql::sql};

const LINKS: &str = "unsubscribe links";
const GATEWAY: &str = "simulated gateway";
const CALLBACKS: &str = "callbacks of vendors";

impl PgStore {
    /// Returns the key that signs links, the same for all instances and permanently. It is
    /// `proposed` if there is none yet.
    pub async fn link_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.keep_key(LINKS, proposed).await
    }

    /// Returns the key with which the simulated gateway signs its events, created in the same way.
    pub async fn gateway_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.keep_key(GATEWAY, proposed).await
    }

    /// Returns the key from which the tokens in callback addresses are derived, created in the same way.
    pub async fn callback_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.keep_key(CALLBACKS, proposed).await
    }

    async fn keep_key(&self, name: &str, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        let mut session = self.session().await?;
        let keep = sql!(
            "INSERT INTO service_keys (name, secret) VALUES ({name}, {secret}) \
             ON CONFLICT DO NOTHING",
            name,
            secret = proposed.as_slice(),
        );
        keep.execute(session.conn()).await?;
        let kept = sql!("SELECT secret FROM service_keys WHERE name = {name}", name);
        kept.only(session.conn()).await
    }
}
