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
//! credentials.password = { env = "SMTP_PASSWORD" }    # or a plain string
//! options.max_connections = 16
//!
//! [[provider.route]]
//! country = "*"                             # any, a country such as "GH", or "001": numbers of no country
//! priority = 10                             # lower is tried first; default 100
//! ```
//!
//! | kind | channels | credentials | options |
//! |---|---|---|---|
//! | `africas-talking` | SMS | `username`, `api_key` | |
//! | `africas-talking-voice` | VOICE | `username`, `api_key` | |
//! | `arkesel` | SMS | `api_key` | |
//! | `expo` | PUSH | `access_token` (optional) | |
//! | `fcm` | PUSH | `project_id`, `service_account` | `token_url` |
//! | `http` | any | `secret` | |
//! | `hubtel` | SMS | `client_id`, `client_secret` | |
//! | `infobip` | SMS | `api_key` | |
//! | `mailgun` | EMAIL | `domain`, `api_key`, `webhook_signing_key` (optional) | |
//! | `mnotify` | SMS | `api_key` | |
//! | `resend` | EMAIL | `api_key`, `webhook_secret` (optional) | |
//! | `sendgrid` | EMAIL | `api_key`, `webhook_public_key` (optional) | |
//! | `simulated` | any | | `latency_ms`, `failure_rate`, `silence_rate`, `seed` |
//! | `smtp` | EMAIL | `username`, `password` (both optional) | `max_connections` |
//! | `termii` | SMS | `api_key`, `secret_key` (optional) | `channel` |
//! | `twilio` | SMS | `account_sid`, `auth_token` | |
//! | `twilio-voice` | VOICE | `account_sid`, `auth_token` | |
//! | `twilio-whatsapp` | WHATSAPP | `account_sid`, `auth_token` | |
//! | `whatsapp-cloud` | WHATSAPP | `phone_number_id`, `access_token`, `app_secret`, `verify_token` | `api_version` |

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use adapters_providers::{Declaration, DeclarationError, Secret};
use domain::{
    providers::provider::{Route, WithoutReport},
    shared::country::Country,
};
use thiserror::Error;
use toml::{Table, Value};

use crate::toml_error::explain;

const USUAL_PRIORITY: u16 = 100;

/// Error in the providers file. Names the file, and the provider and key if there is one.
#[derive(Debug, Error)]
#[error("{}: {fault}", file.display())]
pub struct ProvidersFileError {
    file: PathBuf,
    fault: Fault,
}

#[derive(Debug, Error)]
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

/// Reads the file at `path`. `env` looks up the environment variables that it names.
pub fn read(
    path: &Path,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Declaration>, ProvidersFileError> {
    let declarations = fs::read_to_string(path).map_err(Fault::from);
    declarations
        .and_then(|text| parse(&text, env))
        .map_err(|fault| ProvidersFileError { file: path.to_owned(), fault })
}

fn parse(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Declaration>, Fault> {
    let mut file: Table = text.parse().map_err(|error| Fault::Syntax(explain(text, &error)))?;
    let providers = match file.remove("provider") {
        None => Vec::new(),
        Some(Value::Array(providers)) => providers,
        Some(_) => return Err(Fault::NoList),
    };
    if let Some(key) = file.keys().next() {
        return Err(Fault::UnknownKey(key.clone()));
    }
    let mut names = BTreeSet::new();
    let mut declarations = Vec::new();
    for (index, provider) in providers.into_iter().enumerate() {
        let Value::Table(table) = provider else { return Err(Fault::NoList) };
        let declaration = declaration(index + 1, table, env)?;
        if !names.insert(declaration.name.clone()) {
            return Err(Fault::Duplicate(declaration.name));
        }
        declarations.push(declaration);
    }
    Ok(declarations)
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
        let Some(Value::String(variable)) = only.and_then(|table| table.get("env")) else {
            return Err(self.invalid(key, "must be text or { env = \"NAME\" }"));
        };
        let unset = || self.invalid(key, format!("needs the environment variable {variable}"));
        env(variable).map(Secret::new).ok_or_else(unset)
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
