//! Secrets that sign sessions.

use std::sync::Arc;

use adapters_http::outbound::{random::SystemRandom, token::JwtIssuer};
use ports::shared::random::Random;

use super::StartError;
use crate::{config::Config, secrets};

/// Returns the issuer of the tokens of sessions.
pub(super) fn issuer(config: &Config) -> Result<Arc<JwtIssuer>, StartError> {
    let (secret, previous) = (secret(config, &SystemRandom)?, previous(config));
    Ok(Arc::new(JwtIssuer::with_previous(secret.as_bytes(), previous)))
}

/// Replaces the secrets of an issuer by those in the configuration.
pub(super) fn renew(issuer: &JwtIssuer, config: &Config) -> Result<(), StartError> {
    issuer.replace(secret(config, &SystemRandom)?.as_bytes(), previous(config));
    Ok(())
}

/// Returns the secret that signs sessions. Without a configured one it is generated once.
pub(super) fn secret(config: &Config, random: &dyn Random) -> Result<String, StartError> {
    match &config.security.jwt_secret {
        Some(secret) => Ok(secret.clone()),
        None => secrets::keep(&config.storage.data_dir, "jwt-secret", random)
            .map_err(|error| format!("the JWT secret cannot be kept: {error}").into()),
    }
}

fn previous(config: &Config) -> Option<&[u8]> {
    config.security.previous_jwt_secret.as_deref().map(str::as_bytes)
}
