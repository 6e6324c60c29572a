//! Keys that are created once, and used by all instances.

use diesel::sql_types::{Binary, Text};
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

const LINKS: &str = "unsubscribe links";
const GATEWAY: &str = "simulated gateway";

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

    async fn keep_key(&self, name: &str, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        let mut session = self.session().await?;
        let keep =
            Statement::new(&[KEEP_KEY]).bind::<Text, _>(name).bind::<Binary, _>(proposed.to_vec());
        keep.execute(session.conn()).await.map_err(store_error)?;
        let kept = Statement::<Binary>::returning(&[KEPT_KEY]).bind::<Text, _>(name);
        kept.get_result(session.conn()).await.map_err(store_error)
    }
}

const KEEP_KEY: &str =
    "INSERT INTO service_keys (name, secret) VALUES (?, ?) ON CONFLICT DO NOTHING";

const KEPT_KEY: &str = "SELECT secret FROM service_keys WHERE name = ?";
