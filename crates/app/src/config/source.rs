//! Sources of settings.

use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use toml::Table;

use super::{
    ConfigError, ConfigFaults, invalid,
    settings::{SETTINGS, Setting},
};
use crate::{secrets, toml_error::explain};

/// Suffix of a variable that names the file with a secret, as orchestrators provide secrets.
const FILE: &str = "_FILE";

/// Prefix of the settings that belong to this program alone.
const PREFIX: &str = "ATUMPAN_";

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The environment.
    Environment,
    /// `atumpan.toml`.
    File,
    /// The file with this path, which has the secret alone.
    SecretFile(String),
    /// Nothing was set.
    Default,
}

/// The environment, and the file as its fallback.
#[derive(Debug, Default)]
pub struct Source {
    environment: HashMap<String, String>,
    file: HashMap<String, String>,
    /// Paths of the files that secrets were read from.
    secret_files: HashMap<String, String>,
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
        Ok(Self { environment: environment(), file: parse(&text)?, ..Self::default() })
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
        Self { environment: environment.iter().map(own).collect(), file, ..Self::default() }
    }

    /// Returns a source with these variables alone.
    pub fn of_variables(environment: HashMap<String, String>) -> Self {
        Self { environment, ..Self::default() }
    }

    /// Reads the secrets that are in files. The error has all that cannot be read.
    pub fn with_secret_files(mut self) -> Result<Self, ConfigFaults> {
        let unreadable = self.read_secret_files();
        if unreadable.is_empty() { Ok(self) } else { Err(ConfigFaults(unreadable)) }
    }

    /// Reads the secrets that are in files, and returns the faults.
    pub(super) fn read_secret_files(&mut self) -> Vec<ConfigError> {
        let mut faults = Vec::new();
        for setting in SETTINGS.iter().filter(|setting| setting.may_be_in_file()) {
            match self.secret_in_file(setting.variable) {
                Ok(None) => {}
                Ok(Some((path, secret))) => {
                    self.environment.insert(setting.variable.to_owned(), secret);
                    self.secret_files.insert(setting.variable.to_owned(), path);
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    /// Reads the file that holds a secret, if one is named, and returns its path and the secret.
    fn secret_in_file(
        &self,
        variable: &'static str,
    ) -> Result<Option<(String, String)>, ConfigError> {
        let Some(path) = self.get(&format!("{variable}{FILE}")) else { return Ok(None) };
        if self.get(variable).is_some() {
            let problem = format!("must not be set beside {variable}{FILE}");
            return Err(invalid(variable, problem));
        }
        let secret = secrets::read(&path).map_err(|problem| invalid(variable, problem))?;
        Ok(Some((path, secret)))
    }

    /// Returns the origin of the value of a variable.
    pub(super) fn origin(&self, variable: &str) -> Origin {
        if let Some(path) = self.secret_files.get(variable) {
            return Origin::SecretFile(path.clone());
        }
        let is_set = |value: Option<&String>| value.is_some_and(|value| !value.is_empty());
        // An empty variable hides the file.
        match (self.environment.get(variable), self.file.get(&key(variable))) {
            (Some(value), _) if is_set(Some(value)) => Origin::Environment,
            (None, value) if is_set(value) => Origin::File,
            _ => Origin::Default,
        }
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
                ConfigError::InvalidInFile { variable, key: key(variable), problem }
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

    /// Returns the paths of the files that contain one secret each.
    pub(crate) fn secret_files(&self) -> Vec<PathBuf> {
        let secrets = SETTINGS.iter().filter(|setting| setting.may_be_in_file());
        let path = |setting: &Setting| self.get(&format!("{}{FILE}", setting.variable));
        secrets.filter_map(path).map(PathBuf::from).collect()
    }

    /// True if `atumpan.toml` contains a secret.
    pub(crate) fn has_secrets_in_file(&self) -> bool {
        let mut secrets = SETTINGS.iter().filter(|setting| setting.may_be_in_file());
        secrets.any(|setting| self.file.contains_key(&key(setting.variable)))
    }

    /// Returns an error for each key of the file that is no setting.
    pub(super) fn unknown_keys(&self) -> Vec<ConfigError> {
        let is_known = |found: &&String| {
            let of_file = found.strip_suffix("_file").unwrap_or_default();
            SETTINGS.iter().any(|setting| {
                let known = key(setting.variable);
                known == **found || setting.may_be_in_file() && known == of_file
            })
        };
        let mut unknown: Vec<_> = self.file.keys().filter(|found| !is_known(found)).collect();
        unknown.sort();
        unknown.into_iter().map(|key| ConfigError::UnknownKey(key.clone())).collect()
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
    SETTINGS.iter().any(|setting| {
        setting.variable == name || setting.may_be_in_file() && setting.variable == of_file
    })
}

fn nearest(name: &str) -> &'static str {
    let variables = SETTINGS.iter().map(|setting| setting.variable);
    variables.min_by_key(|known| strsim::damerau_levenshtein(name, known)).unwrap_or_default()
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
