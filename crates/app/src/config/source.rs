//! Sources of settings.

use std::{collections::HashMap, env, ffi::OsString, fs, io, path::Path};

use toml::Table;

use super::ConfigError;
use crate::toml_error::explain;

/// Names of all variables.
const VARIABLES: &[&str] = &[
    "ATUMPAN_ADMIN_EMAIL",
    "ATUMPAN_ADMIN_PASSWORD",
    "ATUMPAN_CALLBACKS_ALLOW_PRIVATE",
    "ATUMPAN_CLIENT_TIMEOUT",
    "ATUMPAN_CONTENT_KEY",
    "ATUMPAN_CONTENT_MODEL",
    "ATUMPAN_CONTENT_TIMEOUT",
    "ATUMPAN_CONTENT_URL",
    "ATUMPAN_CORS_ORIGINS",
    "ATUMPAN_DATA_DIR",
    "ATUMPAN_DRAIN_SECONDS",
    "ATUMPAN_EMBEDDED_DATABASE",
    "ATUMPAN_EMAIL_VERIFICATION",
    "ATUMPAN_ENV",
    "ATUMPAN_GATEWAY_SECRET",
    "ATUMPAN_GATEWAY_URL",
    "ATUMPAN_INVOICE_CREDIT",
    "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS",
    "ATUMPAN_JWT_SECRET",
    "ATUMPAN_LIMIT_GUESTS",
    "ATUMPAN_LIMIT_LIVE",
    "ATUMPAN_LIMIT_REGISTRATIONS",
    "ATUMPAN_LIMIT_REQUESTS",
    "ATUMPAN_LIMIT_SANDBOX",
    "ATUMPAN_LINK_SECRET",
    "ATUMPAN_LISTEN",
    "ATUMPAN_LOG",
    "ATUMPAN_MAX_CONNECTIONS",
    "ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS",
    "ATUMPAN_METRICS_LISTEN",
    "ATUMPAN_PROVIDERS",
    "ATUMPAN_PUBLIC_URL",
    "ATUMPAN_RATE_LIMITS",
    "ATUMPAN_REGISTRATION",
    "ATUMPAN_RETENTION_DAYS",
    "ATUMPAN_SEAL_SECRET",
    "ATUMPAN_SENDER_NAMES",
    "ATUMPAN_TRIAL_CREDIT_GHS",
    "ATUMPAN_TRUSTED_PROXIES",
    "ATUMPAN_VELOCITY_LIMITS",
    "ATUMPAN_WORKERS",
    "DATABASE_URL",
    "REDIS_URL",
];

/// Variables that are secret, or contain a password. The same name with the suffix `_FILE` names a
/// file that contains the value, as orchestrators provide secrets.
const SECRETS: [&str; 8] = [
    "ATUMPAN_ADMIN_PASSWORD",
    "ATUMPAN_CONTENT_KEY",
    "ATUMPAN_GATEWAY_SECRET",
    "ATUMPAN_JWT_SECRET",
    "ATUMPAN_LINK_SECRET",
    "ATUMPAN_SEAL_SECRET",
    "DATABASE_URL",
    "REDIS_URL",
];
const FILE: &str = "_FILE";

/// Prefix of the settings that belong to this program alone.
const PREFIX: &str = "ATUMPAN_";

/// The environment, and the file as its fallback.
#[derive(Debug, Default)]
pub struct Source {
    environment: HashMap<String, String>,
    file: HashMap<String, String>,
}

impl Source {
    /// Returns the environment of the process, with `atumpan.toml` of the working directory if it
    /// exists.
    pub fn of_process() -> Result<Self, ConfigError> {
        let text = match fs::read_to_string(Path::new("atumpan.toml")) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ConfigError::File(format!("cannot be read: {error}"))),
        };
        Ok(Self { environment: environment(), file: parse(&text)? })
    }

    /// Returns the environment of the process alone.
    pub fn of_environment() -> Self {
        Self::of_variables(environment())
    }

    /// Returns a source with these variables and a file of this text.
    #[cfg(test)]
    pub(crate) fn of(environment: &[(&str, &str)], file: &str) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let file = parse(file).unwrap_or_default();
        Self { environment: environment.iter().map(own).collect(), file }
    }

    /// Returns a source with these variables alone.
    pub fn of_variables(environment: HashMap<String, String>) -> Self {
        Self { environment, file: HashMap::new() }
    }

    /// Reads the secrets that are in files.
    pub fn with_secret_files(mut self) -> Result<Self, ConfigError> {
        for variable in SECRETS {
            let Some(path) = self.get(&format!("{variable}{FILE}")) else { continue };
            if self.get(variable).is_some() {
                let problem = format!("must not be set beside {variable}{FILE}");
                return Err(super::invalid(variable, problem));
            }
            let secret = fs::read_to_string(&path).map_err(|error| {
                super::invalid(variable, format!("cannot be read from {path}: {error}"))
            })?;
            // Editors end a file with a line break.
            let secret = secret.trim_end_matches(['\r', '\n']);
            if secret.is_empty() {
                return Err(super::invalid(
                    variable,
                    format!("is not in {path}: the file is empty"),
                ));
            }
            self.environment.insert(variable.to_owned(), secret.to_owned());
        }
        Ok(self)
    }

    /// Returns the value of a variable; `None` if it is unset or empty.
    pub fn get(&self, variable: &str) -> Option<String> {
        let value = self.environment.get(variable).or_else(|| self.file.get(&key(variable)));
        value.filter(|value| !value.is_empty()).cloned()
    }

    /// Adds the name of the file to an error about a value that came from it.
    pub(super) fn locate(&self, error: ConfigError) -> ConfigError {
        match error {
            ConfigError::Invalid { variable, problem }
                if !self.environment.contains_key(variable)
                    && self.file.contains_key(&key(variable)) =>
            {
                ConfigError::InvalidInFile { key: key(variable), problem }
            }
            other => other,
        }
    }

    /// Returns the variables that look like settings but are unknown, each with the most similar
    /// setting.
    pub fn unknown_variables(&self) -> Vec<(String, &'static str)> {
        let mut unknown: Vec<_> = self
            .environment
            .keys()
            .filter(|name| name.starts_with(PREFIX) && !is_known(name))
            .map(|name| (name.clone(), nearest(name)))
            .collect();
        unknown.sort();
        unknown
    }

    pub(super) fn refuse_unknown_keys(&self) -> Result<(), ConfigError> {
        let is_known = |found: &&String| {
            let found = found.as_str();
            let of_file = found.strip_suffix("_file").unwrap_or_default();
            VARIABLES.iter().any(|variable| key(variable) == found)
                || SECRETS.iter().any(|variable| key(variable) == of_file)
        };
        let mut unknown: Vec<_> = self.file.keys().filter(|found| !is_known(found)).collect();
        unknown.sort();
        unknown.first().map_or(Ok(()), |key| Err(ConfigError::UnknownKey((*key).clone())))
    }
}

/// Returns the variables of the process that are text.
fn environment() -> HashMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env::vars_os().filter_map(text).collect()
}

fn is_known(name: &str) -> bool {
    let of_file = name.strip_suffix(FILE).unwrap_or_default();
    VARIABLES.contains(&name) || SECRETS.contains(&of_file)
}

fn nearest(name: &str) -> &'static str {
    let distance = |known: &&&str| strsim::damerau_levenshtein(name, known);
    VARIABLES.iter().min_by_key(distance).copied().unwrap_or_default()
}

fn key(variable: &str) -> String {
    variable.trim_start_matches(PREFIX).to_ascii_lowercase()
}

fn parse(text: &str) -> Result<HashMap<String, String>, ConfigError> {
    let table: Table = text
        .parse()
        .map_err(|error| ConfigError::File(format!("is not TOML: {}", explain(text, &error))))?;
    let plain = |value: toml::Value| match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(table.into_iter().map(|(key, value)| (key, plain(value))).collect())
}
