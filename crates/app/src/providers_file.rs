//! Providers file (`ATUMPAN_PROVIDERS`): the declared providers, and the routes of each.
//!
//! ```toml
//! [[provider]]
//! name = "mail"                             # unique
//! kind = "smtp"                             # the vendor: see below
//! channel = "EMAIL"                         # a channel that the kind carries
//! sender = "Shop <no-reply@example.com>"    # default sender of messages
//! base_url = "smtps://mail.example.com"     # required for http, infobip and smtp
//! timeout_ms = 10000                        # timeout of a call; default 15000
//! reconcile_after_s = 600                   # wait for a report; default by vendor
//! reports = false                           # false if it never reports: no report is awaited; default true
//! unreported = "refund"                     # after 72 hours without a report; default "keep"
//! max_concurrency = 50                      # calls at a time, per instance; default any
//! max_per_second = 100                      # messages, per instance; default any
//! credentials.password = { env = "SMTP_PASSWORD" }    # or { file = "PATH" }, or plain text
//! options.max_connections = 16
//!
//! [[provider.route]]
//! country = "*"                             # any, a country such as "GH", or "001": numbers of no country
//! priority = 10                             # lower is tried first; default 100
//! ```
//!
//! `docs/operations/providers.md` has the channels, credentials and options of each kind.
//!
//! A credential is text, `{ env = "NAME" }` or `{ file = "PATH" }`. If the variable `NAME` is not set, the
//! variable `NAME_FILE` may name a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt, fs, io,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use adapters_providers::{Declaration, DeclarationError, Secret};
use domain::{
    providers::provider::{Route, WithoutReport},
    shared::country::Country,
};
use toml::{Table, Value};

use crate::{secrets, toml_error::explain};

const USUAL_PRIORITY: u16 = 100;

/// Faults of the providers file, at most one for each provider. They name the file, and the provider
/// and key if there is one.
#[derive(Debug)]
pub struct ProvidersFileError {
    file: PathBuf,
    faults: Vec<Fault>,
}

impl ProvidersFileError {
    /// Returns a line for each fault.
    pub fn lines(&self) -> Vec<String> {
        let file = self.file.display();
        self.faults.iter().map(|fault| format!("{file}: {fault}")).collect()
    }
}

impl fmt::Display for ProvidersFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("; "))
    }
}

impl Error for ProvidersFileError {}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("is not TOML: {0}")]
    Syntax(String),
    #[error("unknown key {0:?}")]
    UnknownKey(String),
    #[error("provider must be written [[provider]]")]
    NoList,
    #[error("provider number {0}: name is missing or not text")]
    Nameless(usize),
    #[error("provider {0:?}: name is used twice")]
    Duplicate(String),
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
}

/// Reads the file at `path` with the environment of the process.
pub fn read_process(path: &Path) -> Result<Vec<Declaration>, ProvidersFileError> {
    read(path, &|name| std::env::var(name).ok())
}

/// Reads the file at `path`. `env` looks up the environment variables that it names.
pub fn read(
    path: &Path,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Declaration>, ProvidersFileError> {
    let text = fs::read_to_string(path).map_err(|error| vec![Fault::from(error)]);
    text.and_then(|text| parse(&text, env))
        .map_err(|faults| ProvidersFileError { file: path.to_owned(), faults })
}

/// Returns an error if a provider may not be used in production.
pub fn check_for_production(
    path: &Path,
    declarations: &[Declaration],
) -> Result<(), ProvidersFileError> {
    let checked = declarations.iter().map(Declaration::check_for_production);
    let faults: Vec<_> = checked.filter_map(Result::err).map(Fault::from).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(ProvidersFileError { file: path.to_owned(), faults })
}

fn parse(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Declaration>, Vec<Fault>> {
    let tables = tables(text).map_err(|fault| vec![fault])?;
    let mut names = BTreeSet::new();
    let (mut declarations, mut faults) = (Vec::new(), Vec::new());
    for (index, table) in tables.into_iter().enumerate() {
        match declaration(index + 1, table, env) {
            Ok(declared) if names.contains(&declared.name) => {
                faults.push(Fault::Duplicate(declared.name));
            }
            Ok(declared) => {
                names.insert(declared.name.clone());
                declarations.push(declared);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(declarations) } else { Err(faults) }
}

/// Returns the table of each provider.
fn tables(text: &str) -> Result<Vec<Table>, Fault> {
    let mut file: Table = text.parse().map_err(|error| Fault::Syntax(explain(text, &error)))?;
    let providers = match file.remove("provider") {
        None => Vec::new(),
        Some(Value::Array(providers)) => providers,
        Some(_) => return Err(Fault::NoList),
    };
    if let Some(key) = file.keys().next() {
        return Err(Fault::UnknownKey(key.clone()));
    }
    let table = |provider| match provider {
        Value::Table(table) => Ok(table),
        _ => Err(Fault::NoList),
    };
    providers.into_iter().map(table).collect()
}

fn declaration(
    number: usize,
    mut table: Table,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Declaration, Fault> {
    let Some(Value::String(name)) = table.remove("name") else {
        return Err(Fault::Nameless(number));
    };
    let mut section = Section { provider: &name, prefix: "", table };
    let kind = section.required("kind")?;
    let channel = section.required("channel")?;
    let sender = section.text("sender")?;
    let base_url = section.text("base_url")?;
    let timeout = section.number("timeout_ms")?.map(Duration::from_millis);
    let reconcile_after = section.number("reconcile_after_s")?.map(Duration::from_secs);
    let without_report = section.without_report()?;
    let max_concurrency = section.number("max_concurrency")?;
    let max_per_second = section.number("max_per_second")?;
    let credentials = section.section("credentials", "credentials.")?.secrets(env)?;
    let options = section.section("options", "options.")?.options()?;
    let routes = section.routes()?;
    section.end()?;
    let declaration = Declaration {
        kind,
        channel,
        sender,
        base_url,
        credentials,
        routes,
        timeout,
        reconcile_after,
        without_report,
        max_concurrency,
        max_per_second,
        options,
        name,
    };
    declaration.check()?;
    Ok(declaration)
}

/// Table of a provider. Keys are removed when read, so the remaining keys are unknown.
struct Section<'a> {
    provider: &'a str,
    /// Prefix of the keys in errors.
    prefix: &'static str,
    table: Table,
}

impl<'a> Section<'a> {
    fn text(&mut self, key: &str) -> Result<Option<String>, DeclarationError> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.invalid(key, "must be text")),
        }
    }

    fn required<T: FromStr<Err: ToString>>(&mut self, key: &str) -> Result<T, DeclarationError> {
        let text = self.text(key)?.ok_or_else(|| self.invalid(key, "is missing"))?;
        text.parse().map_err(|error: T::Err| self.invalid(key, error.to_string()))
    }

    fn number<T: TryFrom<i64>>(&mut self, key: &str) -> Result<Option<T>, DeclarationError> {
        let Some(value) = self.table.remove(key) else { return Ok(None) };
        let number = value.as_integer().and_then(|number| number.try_into().ok());
        number.map(Some).ok_or_else(|| self.invalid(key, "is not such a number"))
    }

    fn flag(&mut self, key: &str) -> Result<Option<bool>, DeclarationError> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.invalid(key, "must be true or false")),
        }
    }

    fn without_report(&mut self) -> Result<WithoutReport, DeclarationError> {
        let reports = self.flag("reports")?.unwrap_or(true);
        match (self.text("unreported")?.as_deref(), reports) {
            (None | Some("keep"), true) => Ok(WithoutReport::Noted),
            (Some("refund"), true) => Ok(WithoutReport::Refunded),
            (None, false) => Ok(WithoutReport::Expected),
            (Some("keep" | "refund"), false) => {
                Err(self.invalid("unreported", "makes no sense with reports = false"))
            }
            (Some(_), _) => Err(self.invalid("unreported", "must be \"keep\" or \"refund\"")),
        }
    }

    fn section(
        &mut self,
        key: &str,
        prefix: &'static str,
    ) -> Result<Section<'a>, DeclarationError> {
        let table = match self.table.remove(key) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(_) => return Err(self.invalid(key, "must be a table")),
        };
        Ok(Section { provider: self.provider, prefix, table })
    }

    fn routes(&mut self) -> Result<Vec<Route>, DeclarationError> {
        let routes = match self.table.remove("route") {
            None => return Ok(Vec::new()),
            Some(Value::Array(routes)) => routes,
            Some(_) => return Err(self.invalid("route", "must be written [[provider.route]]")),
        };
        let route = |route| match route {
            Value::Table(table) => {
                Section { provider: self.provider, prefix: "route.", table }.route()
            }
            _ => Err(self.invalid("route", "must be written [[provider.route]]")),
        };
        routes.into_iter().map(route).collect()
    }

    fn route(mut self) -> Result<Route, DeclarationError> {
        let country = match self.required::<String>("country")?.as_str() {
            "*" => None,
            code => Some(Country::parse_destination(code).map_err(|error| {
                self.invalid("country", format!("{error}, or \"*\", or \"001\""))
            })?),
        };
        let priority = self.number("priority")?.unwrap_or(USUAL_PRIORITY);
        self.end()?;
        Ok(Route { country, priority })
    }

    fn secrets(
        self,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<BTreeMap<String, Secret>, DeclarationError> {
        let secret =
            |(key, value): (&String, &Value)| Ok((key.clone(), self.secret(key, value, env)?));
        self.table.iter().map(secret).collect()
    }

    fn secret(
        &self,
        key: &str,
        value: &Value,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Secret, DeclarationError> {
        if let Value::String(text) = value {
            return Ok(Secret::new(text));
        }
        let only = value.as_table().filter(|table| table.len() == 1);
        match only.and_then(|table| table.iter().next()) {
            Some((place, Value::String(variable))) if place == "env" => {
                self.secret_of_variable(key, variable, env)
            }
            Some((place, Value::String(path))) if place == "file" => self.secret_in_file(key, path),
            _ => {
                let problem = "must be text, { env = \"NAME\" } or { file = \"PATH\" }";
                Err(self.invalid(key, problem))
            }
        }
    }

    fn secret_of_variable(
        &self,
        key: &str,
        variable: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Secret, DeclarationError> {
        match (env(variable), env(&format!("{variable}_FILE"))) {
            (Some(secret), _) => Ok(Secret::new(secret)),
            (None, Some(path)) => self.secret_in_file(key, &path),
            (None, None) => {
                Err(self.invalid(key, format!("needs the environment variable {variable}")))
            }
        }
    }

    fn secret_in_file(&self, key: &str, path: &str) -> Result<Secret, DeclarationError> {
        secrets::read(path).map(Secret::new).map_err(|problem| self.invalid(key, problem))
    }

    fn options(self) -> Result<BTreeMap<String, String>, DeclarationError> {
        let option = |(key, value): (&String, &Value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
                _ => return Err(self.invalid(key, "must be text, a number or a truth value")),
            };
            Ok((key.clone(), text))
        };
        self.table.iter().map(option).collect()
    }

    /// Fails if an unknown key is left.
    fn end(self) -> Result<(), DeclarationError> {
        self.table.keys().next().map_or(Ok(()), |key| {
            Err(DeclarationError::UnknownKey {
                provider: self.provider.to_owned(),
                key: format!("{}{key}", self.prefix),
            })
        })
    }

    fn invalid(&self, key: &str, problem: impl Into<String>) -> DeclarationError {
        DeclarationError::Invalid {
            provider: self.provider.to_owned(),
            key: format!("{}{key}", self.prefix),
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests;
