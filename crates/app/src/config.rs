//! Configuration by the operator: from the environment first, then from `atumpan.toml` in the working
//! directory, then by default.
//!
//! A variable `ATUMPAN_TRIAL_CREDIT_GHS` is the key `trial_credit_ghs` of the file; `DATABASE_URL`
//! and `REDIS_URL` are `database_url` and `redis_url`. The concerns, one struct each:
//!
//! | concern | variables |
//! |---|---|
//! | [`Storage`] | `ATUMPAN_DATA_DIR`, `ATUMPAN_EMBEDDED_DATABASE`, `DATABASE_URL`, `ATUMPAN_DATABASE_WAIT_SECONDS`, `REDIS_URL`, `ATUMPAN_RETENTION_DAYS` |
//! | [`Server`] | `ATUMPAN_LISTEN`, `ATUMPAN_METRICS_LISTEN`, `ATUMPAN_PUBLIC_URL`, `ATUMPAN_RATE_LIMITS`, `ATUMPAN_DRAIN_SECONDS` |
//! | [`Clients`] | `ATUMPAN_TRUSTED_PROXIES`, `ATUMPAN_CORS_ORIGINS`, `ATUMPAN_MAX_CONNECTIONS`, `ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS`, `ATUMPAN_CLIENT_TIMEOUT`, `ATUMPAN_IDLE_TIMEOUT`, `ATUMPAN_LIMIT_…` |
//! | [`Security`] | `ATUMPAN_ENV`, `ATUMPAN_JWT_SECRET`, `ATUMPAN_JWT_SECRET_PREVIOUS`, `ATUMPAN_SEAL_SECRET`, `ATUMPAN_LINK_SECRET`, `ATUMPAN_CALLBACK_SECRET`, `ATUMPAN_ADMIN_EMAIL`, `ATUMPAN_ADMIN_PASSWORD`, `ATUMPAN_EMAIL_VERIFICATION`, `ATUMPAN_REGISTRATION` |
//! | [`Delivery`] | `ATUMPAN_PROVIDERS`, `ATUMPAN_SENDER_NAMES`, `ATUMPAN_WORKERS`, `ATUMPAN_TRIAL_CREDIT_GHS`, `ATUMPAN_INVOICE_CREDIT`, `ATUMPAN_INVOICE_CREDIT_LIMIT_GHS`, `ATUMPAN_VELOCITY_LIMITS` |
//! | [`ChatModelSettings`] | `ATUMPAN_CONTENT_URL`, `ATUMPAN_CONTENT_MODEL`, `ATUMPAN_CONTENT_KEY`, `ATUMPAN_CONTENT_TIMEOUT` |
//! | [`Payments`] | `ATUMPAN_GATEWAY_URL`, `ATUMPAN_GATEWAY_SECRET` |
//! | [`Webhooks`] | `ATUMPAN_CALLBACKS_ALLOW_PRIVATE` |
//! | [`LogFormat`] | `ATUMPAN_LOG` |
//! | [`Traces`] | `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_PROTOCOL`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` |

mod clients;
mod content;
mod delivery;
mod faults;
mod held;
mod payments;
mod reference;
mod renewed;
mod retention;
mod security;
mod server;
mod settings;
mod source;
mod storage;
mod traces;
mod webhooks;

use adapters_providers::ChatModelSettings;
use thiserror::Error;

use self::faults::Faults;
pub use self::{
    clients::Clients,
    delivery::Delivery,
    faults::ConfigFaults,
    held::{HeldSetting, held},
    payments::Payments,
    reference::{DescribedSetting, SETTING_GROUPS, SettingGroup},
    security::{Admin, Security},
    server::{Server, listen_address},
    settings::changed,
    source::{Origin, Source},
    storage::Storage,
    traces::Traces,
    webhooks::Webhooks,
};
use crate::logging::LogFormat;

/// Complete configuration of the operator.
#[derive(Debug, Clone)]
pub struct Config {
    /// Stores and retention.
    pub storage: Storage,
    /// Server that takes requests.
    pub server: Server,
    /// Secrets, administrators and registration.
    pub security: Security,
    /// Delivery and billing of messages.
    pub delivery: Delivery,
    /// Language model that writes texts; without one, rules do.
    pub content: Option<ChatModelSettings>,
    /// Payment gateway for top-ups.
    pub payments: Payments,
    /// Permitted targets of webhooks.
    pub webhooks: Webhooks,
    /// Format of the log.
    pub log: LogFormat,
    /// Export of traces; `None` if none are exported.
    pub traces: Option<Traces>,
    /// True if the service is a demonstration, which is no setting: `atumpan demo` makes it so.
    pub is_demo: bool,
}

domain::closed_list! {
    /// Purpose of the installation.
    pub enum Environment {
        /// Trial and development: missing settings are generated or simulated.
        Development = "development",
        /// Real messages for real money: missing settings are errors.
        Production = "production",
    }
    impl FromStr else "must be development or production";
}

/// Error in a setting.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read, or is not TOML.
    #[error("atumpan.toml {0}")]
    File(String),
    /// The file has an unknown key.
    #[error("atumpan.toml: unknown key {0:?}")]
    UnknownKey(String),
    /// A value of the file is invalid.
    #[error("atumpan.toml: {key} {problem}")]
    InvalidInFile {
        /// Name of the variable.
        variable: &'static str,
        /// Key in the file.
        key: String,
        /// Problem with the value.
        problem: String,
    },
    /// A value is invalid.
    #[error("{variable} {problem}")]
    Invalid {
        /// Name of the variable.
        variable: &'static str,
        /// Problem with the value.
        problem: String,
    },
}

impl ConfigError {
    /// Returns the variable that the error is about, if it is about one.
    pub fn variable(&self) -> Option<&'static str> {
        match self {
            Self::Invalid { variable, .. } | Self::InvalidInFile { variable, .. } => {
                Some(*variable)
            }
            Self::File(_) | Self::UnknownKey(_) => None,
        }
    }
}

impl Config {
    /// Reads the configuration. The error has all faults.
    pub fn read(source: &Source) -> Result<Self, ConfigFaults> {
        Self::read_beside(source, Vec::new())
    }

    /// Reads the secrets that are in files into the source, and then the configuration.
    pub fn read_with_secret_files(source: &mut Source) -> Result<Self, ConfigFaults> {
        let unreadable = source.read_secret_files();
        Self::read_beside(source, unreadable)
    }

    /// Reads the configuration from a source that has these faults.
    fn read_beside(source: &Source, known: Vec<ConfigError>) -> Result<Self, ConfigFaults> {
        let mut faults = Faults::default();
        for fault in known.into_iter().chain(source.unknown_keys()) {
            faults.note(fault);
        }
        let config = Self::read_values(source, &mut faults);
        let config = faults.refuse(config);
        config.map_err(|ConfigFaults(all)| {
            ConfigFaults(all.into_iter().map(|fault| source.locate(fault)).collect())
        })
    }

    fn read_values(source: &Source, faults: &mut Faults) -> Self {
        let environment = faults.take(environment(source), Environment::Development);
        Self {
            storage: Storage::read(source, environment, faults),
            server: Server::read(source, environment, faults),
            security: Security::read(source, environment, faults),
            delivery: Delivery::read(source, environment, faults),
            content: content::read(source, faults),
            payments: faults.take(Payments::read(source), Payments::default()),
            webhooks: faults
                .take(Webhooks::read(source, environment), Webhooks { allow_private: false }),
            log: faults.take(log_format(source), LogFormat::default()),
            traces: faults.take(Traces::read(source), None),
            is_demo: false,
        }
    }
}

/// Reads the log format. It is read first, so that errors in the other settings are reported in
/// that format.
pub fn log_format(source: &Source) -> Result<LogFormat, ConfigError> {
    match source.get("ATUMPAN_LOG").as_deref() {
        None | Some("text") => Ok(LogFormat::Text),
        Some("json") => Ok(LogFormat::Json),
        Some(_) => Err(invalid("ATUMPAN_LOG", "must be text or json")),
    }
}

fn environment(source: &Source) -> Result<Environment, ConfigError> {
    match source.get("ATUMPAN_ENV") {
        None => Ok(Environment::Development),
        Some(name) => {
            name.parse::<Environment>().map_err(|error| invalid("ATUMPAN_ENV", error.to_string()))
        }
    }
}

/// Reads a variable that is `on` or `off`; unset is `on`.
fn switch(source: &Source, variable: &'static str) -> Result<bool, ConfigError> {
    match source.get(variable).as_deref() {
        None | Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(_) => Err(invalid(variable, "must be on or off")),
    }
}

fn invalid(variable: &'static str, problem: impl Into<String>) -> ConfigError {
    ConfigError::Invalid { variable, problem: problem.into() }
}

#[cfg(test)]
mod tests;
