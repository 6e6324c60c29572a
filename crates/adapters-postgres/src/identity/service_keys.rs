//! Keys that are made once, and that all instances use.

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
    /// The key with which links are signed: the same for all instances and for good. It is `proposed`
    /// if there is none yet.
    pub async fn link_key(&self, proposed: [u8; 32]) -> Result<Vec<u8>, StoreError> {
        self.keep_key(LINKS, proposed).await
    }

    /// The key with which the simulated gateway signs its events, likewise.
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
