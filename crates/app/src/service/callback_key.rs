//! Key from which the tokens in the addresses of callbacks are derived.

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::PgStore;
use ports::shared::random::Random;

use super::StartError;
use crate::config::Config;

/// Returns the key: the configured secret, or else one that is kept in the database. It depends on no
/// credential, so that an address which was entered at a vendor stays when a credential changes.
pub(crate) async fn callback_key(
    config: &Config,
    database_url: &str,
) -> Result<Vec<u8>, StartError> {
    match &config.security.callback_secret {
        Some(secret) => Ok(secret.as_bytes().to_vec()),
        None => {
            let store = PgStore::connect(database_url, 1)?;
            Ok(store.callback_key(SystemRandom.secret()).await?)
        }
    }
}
