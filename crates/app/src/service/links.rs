//! Unsubscribe links, and the secrets that sign them.

use std::sync::Arc;

use adapters_http::outbound::{random::SystemRandom, subscription_tokens::SignedTokens};
use adapters_postgres::PgStore;
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeLinks},
    shared::random::Random,
};
use usecases::audience::unsubscribes::{Links, LinksDeps};

use super::StartError;
use crate::config::Config;

/// Returns the signer and verifier of links. Links are followed for years, so the key in the
/// database is also accepted if a configured secret signs.
pub(super) async fn tokens(
    config: &Config,
    store: &PgStore,
) -> Result<Arc<dyn SubscriptionTokens>, StartError> {
    let kept = store.link_key(SystemRandom.secret()).await?;
    Ok(Arc::new(match &config.security.link_secret {
        Some(secret) => SignedTokens::new(secret.as_bytes(), &[&kept]),
        None => SignedTokens::new(&kept, &[]),
    }))
}

/// Returns the source of the links in messages.
pub(super) fn links(
    config: &Config,
    tokens: &Arc<dyn SubscriptionTokens>,
    store: &Arc<PgStore>,
    random: &Arc<dyn Random>,
) -> Arc<dyn UnsubscribeLinks> {
    Arc::new(Links::new(LinksDeps {
        tokens: Arc::clone(tokens),
        repository: Arc::clone(store) as _,
        random: Arc::clone(random),
        public_url: config.server.public_url(),
    }))
}
