//! Settings that a running service reads again.

use std::sync::Arc;

use adapters_http::outbound::token::JwtIssuer;

use super::{StartError, declared_providers::DeclaredProviders, sessions};
use crate::{
    config::{Config, Environment},
    providers_file,
};

/// Parts of a running service whose settings change without a restart.
pub(super) struct Reloading {
    pub(super) sessions: Arc<JwtIssuer>,
    pub(super) providers: Arc<DeclaredProviders>,
}

impl Reloading {
    /// Adopts the secrets of sessions and the providers file, and returns the names of the providers
    /// that changed. No connection is lost, and a faulty file changes nothing.
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
        Ok(renewed)
    }
}
