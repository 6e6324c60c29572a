//! Where settings come from.

use std::{collections::HashMap, env, fs, io, path::Path};

use toml::Table;

use super::ConfigError;

/// Every variable that means something.
const VARIABLES: [&str; 25] = [
    "ATUMPAN_ADMIN_EMAIL",
    "ATUMPAN_ADMIN_PASSWORD",
    "ATUMPAN_CLIENT_TIMEOUT",
    "ATUMPAN_CORS_ORIGINS",
    "ATUMPAN_DATA_DIR",
    "ATUMPAN_EMAIL_VERIFICATION",
    "ATUMPAN_ENV",
    "ATUMPAN_JWT_SECRET",
    "ATUMPAN_LIMIT_GUESTS",
    "ATUMPAN_LIMIT_LIVE",
    "ATUMPAN_LIMIT_REGISTRATIONS",
    "ATUMPAN_LIMIT_REQUESTS",
    "ATUMPAN_LIMIT_SANDBOX",
    "ATUMPAN_LISTEN",
    "ATUMPAN_LOG",
    "ATUMPAN_MAX_CONNECTIONS",
    "ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS",
    "ATUMPAN_PROVIDERS",
    "ATUMPAN_PUBLIC_URL",
    "ATUMPAN_RATE_LIMITS",
    "ATUMPAN_TRIAL_CREDIT_GHS",
    "ATUMPAN_TRUSTED_PROXIES",
    "ATUMPAN_WORKERS",
    "DATABASE_URL",
    "REDIS_URL",
];

/// The environment, and the file behind it.
#[derive(Debug, Default)]
pub struct Source {
    environment: HashMap<String, String>,
    file: HashMap<String, String>,
}

impl Source {
    /// The process's environment and `atumpan.toml` in the working directory, if there is one.
    pub fn of_process() -> Result<Self, ConfigError> {
        let text = match fs::read_to_string(Path::new("atumpan.toml")) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ConfigError::File(error.to_string())),
        };
        Ok(Self { environment: env::vars().collect(), file: parse(&text)? })
    }

    /// These variables, and a file of this text.
    #[cfg(test)]
    pub(crate) fn of(environment: &[(&str, &str)], file: &str) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let file = parse(file).unwrap_or_default();
        Self { environment: environment.iter().map(own).collect(), file }
    }

    /// These variables alone.
    pub fn of_variables(environment: HashMap<String, String>) -> Self {
        Self { environment, file: HashMap::new() }
    }

    /// The value of a variable, unless it is unset or empty.
    pub fn get(&self, variable: &str) -> Option<String> {
        let value = self.environment.get(variable).or_else(|| self.file.get(&key(variable)));
        value.filter(|value| !value.is_empty()).cloned()
    }

    pub(super) fn refuse_unknown_keys(&self) -> Result<(), ConfigError> {
        let is_known = |found: &&String| VARIABLES.iter().any(|variable| key(variable) == **found);
        let mut unknown: Vec<_> = self.file.keys().filter(|found| !is_known(found)).collect();
        unknown.sort();
        unknown.first().map_or(Ok(()), |key| Err(ConfigError::UnknownKey((*key).clone())))
    }
}

fn key(variable: &str) -> String {
    variable.trim_start_matches("ATUMPAN_").to_ascii_lowercase()
}

fn parse(text: &str) -> Result<HashMap<String, String>, ConfigError> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| ConfigError::File(error.message().to_owned()))?;
    let plain = |value: toml::Value| match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(table.into_iter().map(|(key, value)| (key, plain(value))).collect())
}
