//! Keys that are kept in the database if none are configured.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::PgStore;
use ports::{audience::unsubscribes::SubscriptionTokens, shared::random::Random};

use super::{StartError, links};
use crate::config::Config;

/// Keys of a service.
pub(super) struct KeptKeys {
    /// Signer and verifier of unsubscribe links.
    pub(super) tokens: Arc<dyn SubscriptionTokens>,
    /// Key from which the tokens in the addresses of callbacks are derived.
    pub(super) callback_key: Vec<u8>,
}

impl KeptKeys {
    /// Reads the keys, and creates those that are missing.
    pub(super) async fn read(config: &Config, database_url: &str) -> Result<Self, StartError> {
        let store = PgStore::connect(database_url, 1)?;
        let tokens = links::tokens(config, &store).await?;
        let callback_key = callback_key(config, &store).await?;
        Ok(Self { tokens, callback_key })
    }
}

/// Returns the key of callbacks: the configured secret, or else one that is kept in the database. It
/// depends on no credential, so that an address which was entered at a vendor stays when a credential
/// changes.
pub(crate) async fn callback_key(config: &Config, store: &PgStore) -> Result<Vec<u8>, StartError> {
    match &config.security.callback_secret {
        Some(secret) => Ok(secret.as_bytes().to_vec()),
        None => Ok(store.callback_key(SystemRandom.secret()).await?),
    }
}
