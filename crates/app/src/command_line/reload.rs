//! Settings that are read again on SIGHUP.

use crate::{
    config::{self, Config, ConfigFaults, Source},
    service::Service,
};

/// Reads the settings again. The service adopts those that may change while it runs, and the log names
/// the others. On an error nothing changes. The environment of a process never changes, so what may
/// differ is in files.
pub(super) fn reload(service: &Service, config: &mut Config) {
    if config.is_demo {
        tracing::info!("a demo has no settings to read again");
        return;
    }
    let newer = match read() {
        Ok(newer) => newer,
        Err(error) => {
            tracing::error!(%error, "failed to read the settings again; those of before hold");
            return;
        }
    };
    warn_of_sealed_secrets(config, &newer);
    let renewed = config.renewed_by(&newer);
    match service.reload(&renewed) {
        Ok(providers) => {
            warn_of_the_rest(&renewed, &newer);
            *config = renewed;
            let providers = providers.join(", ");
            tracing::info!(providers, "read the providers and the secrets again");
        }
        Err(error) => {
            tracing::error!(%error, "failed to read the providers again; those of before hold");
        }
    }
}

fn read() -> Result<Config, ConfigFaults> {
    let mut source = Source::of_process()?;
    Config::read_with_secret_files(&mut source)
}

/// Names the settings that the service has not adopted.
fn warn_of_the_rest(renewed: &Config, newer: &Config) {
    let changed = config::changed(renewed, newer);
    if !changed.is_empty() {
        let settings = changed.join(", ");
        tracing::warn!(settings, "these settings change at the next start only");
    }
}

/// Warns if the secret changes that seals, for want of one of its own.
fn warn_of_sealed_secrets(config: &Config, newer: &Config) {
    let changes = config.security.jwt_secret != newer.security.jwt_secret;
    if changes && newer.security.seal_secret.is_none() {
        tracing::warn!(
            "second factors are sealed with the secret that signed sessions at the start: set \
             ATUMPAN_SEAL_SECRET to it before the next start"
        );
    }
}
