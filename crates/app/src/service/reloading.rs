//! Settings that a running service reads again.

use std::sync::Arc;

use adapters_http::outbound::token::JwtIssuer;
use adapters_providers::{ChatModel, HttpClient, Secret, gateways::Paystack};
use ports::shared::clock::Clock;

use super::{StartError, declared_providers::DeclaredProviders, gateway::Gateway, sessions};
use crate::{
    config::{Config, Environment},
    providers_file,
};

/// Parts of a running service whose settings change without a restart.
pub(super) struct Reloading {
    pub(super) sessions: Arc<JwtIssuer>,
    providers: Arc<DeclaredProviders>,
    gateway: Option<Arc<Paystack>>,
    /// Language model; `None` if rules write the texts.
    pub(super) model: Option<Arc<ChatModel>>,
}

impl Reloading {
    /// Builds the parts that are not built elsewhere.
    pub(super) fn new(
        config: &Config,
        providers: Arc<DeclaredProviders>,
        gateway: &Gateway,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, StartError> {
        let model = match &config.content {
            Some(settings) => {
                let http = HttpClient::new(Arc::clone(clock))?;
                Some(Arc::new(ChatModel::new(settings.clone(), http)?))
            }
            None => None,
        };
        let sessions = sessions::issuer(config)?;
        Ok(Self { sessions, providers, gateway: gateway.real.clone(), model })
    }

    /// Adopts the secrets of sessions, the keys of the gateway and the language model, and the providers
    /// file, and returns the names of the providers that changed. No connection is lost, and a faulty file
    /// changes nothing.
    pub(super) fn adopt(&self, config: &Config) -> Result<Vec<String>, StartError> {
        let declarations = match &config.delivery.providers {
            Some(path) => {
                let declarations = providers_file::read_process(path)?;
                if config.security.environment == Environment::Production {
                    providers_file::check_for_production(path, &declarations)?;
                }
                declarations
            }
            None => Vec::new(),
        };
        let renewed = self.providers.renew(&declarations)?;
        sessions::renew(&self.sessions, config)?;
        if let (Some(gateway), Some(secret)) = (&self.gateway, &config.payments.gateway_secret) {
            gateway.replace_secret(Secret::new(secret));
        }
        if let (Some(model), Some(settings)) = (&self.model, &config.content) {
            model.replace_key(settings.key.as_ref())?;
        }
        Ok(renewed)
    }
}
