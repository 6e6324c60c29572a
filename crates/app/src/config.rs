//! Configuration by the operator: from the environment first, then from `atumpan.toml` in the working
//! directory, then by default.
//!
//! A variable `ATUMPAN_TRIAL_CREDIT_GHS` is the key `trial_credit_ghs` of the file; `DATABASE_URL`
//! and `REDIS_URL` are `database_url` and `redis_url`. The concerns, one struct each:
//!
//! | concern | variables |
//! |---|---|
//! | [`Storage`] | `ATUMPAN_DATA_DIR`, `ATUMPAN_EMBEDDED_DATABASE`, `DATABASE_URL`, `REDIS_URL`, `ATUMPAN_RETENTION_DAYS` |
//! | [`Server`] | `ATUMPAN_LISTEN`, `ATUMPAN_METRICS_LISTEN`, `ATUMPAN_PUBLIC_URL`, `ATUMPAN_RATE_LIMITS`, `ATUMPAN_DRAIN_SECONDS` |
//! | [`Clients`] | `ATUMPAN_TRUSTED_PROXIES`, `ATUMPAN_CORS_ORIGINS`, `ATUMPAN_MAX_CONNECTIONS`, `ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS`, `ATUMPAN_CLIENT_TIMEOUT`, `ATUMPAN_LIMIT_…` |
//! | [`Security`] | `ATUMPAN_ENV`, `ATUMPAN_JWT_SECRET`, `ATUMPAN_SEAL_SECRET`, `ATUMPAN_LINK_SECRET`, `ATUMPAN_ADMIN_EMAIL`, `ATUMPAN_ADMIN_PASSWORD`, `ATUMPAN_EMAIL_VERIFICATION`, `ATUMPAN_REGISTRATION` |
//! | [`Delivery`] | `ATUMPAN_PROVIDERS`, `ATUMPAN_SENDER_NAMES`, `ATUMPAN_WORKERS`, `ATUMPAN_TRIAL_CREDIT_GHS`, `ATUMPAN_INVOICE_CREDIT`, `ATUMPAN_INVOICE_CREDIT_LIMIT_GHS`, `ATUMPAN_VELOCITY_LIMITS` |
//! | [`ChatModelSettings`] | `ATUMPAN_CONTENT_URL`, `ATUMPAN_CONTENT_MODEL`, `ATUMPAN_CONTENT_KEY`, `ATUMPAN_CONTENT_TIMEOUT` |
//! | [`Payments`] | `ATUMPAN_GATEWAY_URL`, `ATUMPAN_GATEWAY_SECRET` |
//! | [`Webhooks`] | `ATUMPAN_CALLBACKS_ALLOW_PRIVATE` |
//! | [`LogFormat`] | `ATUMPAN_LOG` |

mod clients;
mod content;
mod payments;
mod retention;
mod server;
mod source;
mod webhooks;

use std::path::PathBuf;

use adapters_providers::ChatModelSettings;
use domain::{
    content::sender_name::SenderRule,
    identity::user::RegistrationRule,
    shared::{money::Money, retention::RetentionDays},
};
use thiserror::Error;
use usecases::money::invoices::InvoiceCredit;

pub use self::{
    clients::Clients, payments::Payments, server::Server, source::Source, webhooks::Webhooks,
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
    /// True if the service is a demonstration, which is no setting: `atumpan demo` makes it so.
    pub is_demo: bool,
}

/// Stores and retention.
#[derive(Debug, Clone)]
pub struct Storage {
    /// `ATUMPAN_DATA_DIR`, by default `.atumpan`: the embedded database and generated secrets.
    pub data_dir: PathBuf,
    /// `DATABASE_URL`; unset, an embedded `PostgreSQL` is started, in production only if
    /// `ATUMPAN_EMBEDDED_DATABASE` is `on`.
    pub database_url: Option<String>,
    /// `REDIS_URL`; unset, a substitute in the process serves.
    pub redis_url: Option<String>,
    /// `ATUMPAN_RETENTION_DAYS`, at least 31: days for which messages are kept in the log; unset,
    /// for ever.
    pub retention: Option<RetentionDays>,
}

/// Secrets, administrators and registration.
#[derive(Clone)]
pub struct Security {
    /// `ATUMPAN_ENV`, `development` or `production`.
    pub environment: Environment,
    /// `ATUMPAN_JWT_SECRET`, 32 bytes or more; in development it is generated once.
    pub jwt_secret: Option<String>,
    /// `ATUMPAN_SEAL_SECRET`, 32 bytes or more: seals the secrets of second factors in the database;
    /// unset, the secret that signs sessions does.
    pub seal_secret: Option<String>,
    /// `ATUMPAN_LINK_SECRET`, 32 bytes or more: signs unsubscribe links; unset, a generated key in
    /// the database signs them.
    pub link_secret: Option<String>,
    /// `ATUMPAN_ADMIN_EMAIL` and `ATUMPAN_ADMIN_PASSWORD`: platform administrator that exists after
    /// start.
    pub admin: Option<Admin>,
    /// `ATUMPAN_EMAIL_VERIFICATION`, `on` or `off`: true if new users are mailed a link that
    /// verifies their address, which owners, administrators and inviters then need.
    pub email_verification: bool,
    /// `ATUMPAN_REGISTRATION`, `open`, `invited` or `closed`, by default `open`: people who may
    /// register.
    pub registration: RegistrationRule,
}

impl std::fmt::Debug for Security {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Security").field("environment", &self.environment).finish_non_exhaustive()
    }
}

/// Platform administrator.
#[derive(Clone)]
pub struct Admin {
    /// Address to sign in with.
    pub email: String,
    /// Password of a new administrator.
    pub password: String,
}

/// Delivery and billing of messages.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// `ATUMPAN_PROVIDERS`: path of the providers file.
    pub providers: Option<PathBuf>,
    /// `ATUMPAN_SENDER_NAMES`, `open` or `approved`, by default `open` in development and
    /// `approved` in production: `open` permits any sender of a message.
    pub senders: SenderRule,
    /// `ATUMPAN_WORKERS`, by default 256: most messages that this instance hands over at the same
    /// time; 0 serves requests only.
    pub workers: usize,
    /// `ATUMPAN_TRIAL_CREDIT_GHS`, by default 10 in development and 0 in production.
    pub trial_credit: Money,
    /// `ATUMPAN_INVOICE_CREDIT`, `when-paid` or `at-once`, by default `when-paid`: time at which
    /// the money of an invoice is credited to the wallet; at once as long as an organization owes
    /// no more than its own limit, or `ATUMPAN_INVOICE_CREDIT_LIMIT_GHS` if it has none.
    pub invoice_credit: InvoiceCredit,
    /// `ATUMPAN_VELOCITY_LIMITS`, `on` or `off`, by default `off` in development and `on` in
    /// production: true if the messages of an organization to the same numbers are limited per
    /// hour.
    pub velocity_limits: bool,
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

const DEFAULT_WORKERS: usize = 256;
const MAX_WORKERS: usize = 4_096;
const MIN_SECRET: usize = 32;

impl Config {
    /// Reads the configuration.
    pub fn read(source: &Source) -> Result<Self, ConfigError> {
        source.refuse_unknown_keys()?;
        Self::read_values(source).map_err(|error| source.locate(error))
    }

    fn read_values(source: &Source) -> Result<Self, ConfigError> {
        let environment = environment(source)?;
        Ok(Self {
            storage: storage(source, environment)?,
            server: Server::read(source, environment)?,
            security: security(source, environment)?,
            delivery: delivery(source, environment)?,
            content: content::read(source)?,
            payments: Payments::read(source)?,
            webhooks: Webhooks::read(source, environment)?,
            log: log_format(source)?,
            is_demo: false,
        })
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

fn storage(source: &Source, environment: Environment) -> Result<Storage, ConfigError> {
    let database_url = source.get("DATABASE_URL");
    let embedded = match source.get("ATUMPAN_EMBEDDED_DATABASE") {
        None => None,
        Some(_) => Some(switch(source, "ATUMPAN_EMBEDDED_DATABASE")?),
    };
    match (&database_url, embedded, environment) {
        (Some(_), Some(true), _) => {
            return Err(invalid("ATUMPAN_EMBEDDED_DATABASE", "must not be on beside DATABASE_URL"));
        }
        (None, None, Environment::Production) => {
            let problem = "must be set in production, or ATUMPAN_EMBEDDED_DATABASE be on";
            return Err(invalid("DATABASE_URL", problem));
        }
        (None, Some(false), _) => {
            return Err(invalid("DATABASE_URL", "must be set, for the embedded database is off"));
        }
        _ => {}
    }
    let data_dir = source.get("ATUMPAN_DATA_DIR").unwrap_or_else(|| ".atumpan".into()).into();
    let (redis_url, retention) = (source.get("REDIS_URL"), retention::read(source)?);
    Ok(Storage { data_dir, database_url, redis_url, retention })
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

fn security(source: &Source, environment: Environment) -> Result<Security, ConfigError> {
    let jwt_secret = source.get("ATUMPAN_JWT_SECRET");
    match (&jwt_secret, environment) {
        (Some(secret), _) if secret.len() < MIN_SECRET => {
            return Err(invalid("ATUMPAN_JWT_SECRET", "must have at least 32 bytes"));
        }
        (None, Environment::Production) => {
            return Err(invalid("ATUMPAN_JWT_SECRET", "must be set in production"));
        }
        _ => {}
    }
    let seal_secret = source.get("ATUMPAN_SEAL_SECRET");
    if seal_secret.as_ref().is_some_and(|secret| secret.len() < MIN_SECRET) {
        return Err(invalid("ATUMPAN_SEAL_SECRET", "must have at least 32 bytes"));
    }
    let link_secret = source.get("ATUMPAN_LINK_SECRET");
    if link_secret.as_ref().is_some_and(|secret| secret.len() < MIN_SECRET) {
        return Err(invalid("ATUMPAN_LINK_SECRET", "must have at least 32 bytes"));
    }
    let admin = match (source.get("ATUMPAN_ADMIN_EMAIL"), source.get("ATUMPAN_ADMIN_PASSWORD")) {
        (Some(email), Some(password)) => Some(Admin { email, password }),
        (Some(_), None) => {
            return Err(invalid("ATUMPAN_ADMIN_PASSWORD", "must be set with ATUMPAN_ADMIN_EMAIL"));
        }
        (None, _) => None,
    };
    let email_verification = match source.get("ATUMPAN_EMAIL_VERIFICATION").as_deref() {
        None | Some("on") => true,
        Some("off") => false,
        Some(_) => return Err(invalid("ATUMPAN_EMAIL_VERIFICATION", "must be on or off")),
    };
    let registration = match source.get("ATUMPAN_REGISTRATION").as_deref() {
        None | Some("open") => RegistrationRule::Open,
        Some("invited") => RegistrationRule::Invited,
        Some("closed") => RegistrationRule::Closed,
        Some(_) => {
            return Err(invalid("ATUMPAN_REGISTRATION", "must be open, invited or closed"));
        }
    };
    Ok(Security {
        environment,
        jwt_secret,
        seal_secret,
        link_secret,
        admin,
        email_verification,
        registration,
    })
}

fn delivery(source: &Source, environment: Environment) -> Result<Delivery, ConfigError> {
    let trial_credit = match source.get("ATUMPAN_TRIAL_CREDIT_GHS") {
        Some(amount) => {
            amount.parse().ok().filter(|credit| *credit >= Money::ZERO).ok_or_else(|| {
                invalid("ATUMPAN_TRIAL_CREDIT_GHS", "must be an amount such as 2.50")
            })?
        }
        None if environment == Environment::Development => Money::from_cedis(10),
        None => Money::ZERO,
    };
    let workers = match source.get("ATUMPAN_WORKERS") {
        None => DEFAULT_WORKERS,
        Some(workers) => {
            let workers = workers.parse().ok().filter(|workers| *workers <= MAX_WORKERS);
            workers.ok_or_else(|| invalid("ATUMPAN_WORKERS", "must be from 0 to 4096"))?
        }
    };
    let senders = match (source.get("ATUMPAN_SENDER_NAMES"), environment) {
        (Some(name), _) => name
            .parse::<SenderRule>()
            .map_err(|error| invalid("ATUMPAN_SENDER_NAMES", error.to_string()))?,
        (None, Environment::Development) => SenderRule::Open,
        (None, Environment::Production) => SenderRule::Approved,
    };
    let invoice_credit = match source.get("ATUMPAN_INVOICE_CREDIT").as_deref() {
        None | Some("when-paid") => InvoiceCredit::WhenPaid,
        Some("at-once") => InvoiceCredit::AtOnce(invoice_credit_limit(source)?),
        Some(_) => return Err(invalid("ATUMPAN_INVOICE_CREDIT", "must be when-paid or at-once")),
    };
    let providers = source.get("ATUMPAN_PROVIDERS").map(PathBuf::from);
    let velocity_limits = match source.get("ATUMPAN_VELOCITY_LIMITS") {
        None => environment == Environment::Production,
        Some(_) => switch(source, "ATUMPAN_VELOCITY_LIMITS")?,
    };
    Ok(Delivery { providers, senders, workers, trial_credit, invoice_credit, velocity_limits })
}

/// Reads the limit of credit on unpaid invoices. `at-once` requires one.
fn invoice_credit_limit(source: &Source) -> Result<Money, ConfigError> {
    let variable = "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS";
    let limit = source
        .get(variable)
        .ok_or_else(|| invalid(variable, "must be set with ATUMPAN_INVOICE_CREDIT=at-once"))?;
    let limit = limit.parse().ok().filter(|limit| *limit >= Money::ZERO);
    limit.ok_or_else(|| invalid(variable, "must be an amount such as 500.00"))
}

fn invalid(variable: &'static str, problem: impl Into<String>) -> ConfigError {
    ConfigError::Invalid { variable, problem: problem.into() }
}

#[cfg(test)]
mod tests;
