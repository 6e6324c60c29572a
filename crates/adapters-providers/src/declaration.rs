//! Declarations of providers by the operator.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use chrono::TimeDelta;
use domain::{
    providers::provider::{self, Route, WithoutReport},
    shared::channel::Channel,
};
use reqwest::Url;
use thiserror::Error;

use crate::{
    kind::{Callbacks, Kind, Vendor},
    secret::Secret,
    signature,
};

/// Time-out of a call, unless declared otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum time-out of a call: leases on messages depend on it.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(60);

/// Declaration of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Name chosen by the operator: ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// Vendor of the provider.
    pub kind: Kind,
    /// Channel that the provider carries.
    pub channel: Channel,
    /// Sender of messages that request none.
    pub sender: Option<String>,
    /// Address of the vendor; `None` is the vendor's usual address.
    pub base_url: Option<String>,
    /// Credentials at the vendor: keys, passwords, account names.
    pub credentials: BTreeMap<String, Secret>,
    /// Routes that the provider may be used for.
    pub routes: Vec<Route>,
    /// Time-out of a call; `None` is 15 s.
    pub timeout: Option<Duration>,
    /// Time to wait for a report before the vendor is queried; `None` is the vendor's usual time.
    pub reconcile_after: Option<Duration>,
    /// Consequence if the vendor never reports on an accepted message.
    pub without_report: WithoutReport,
    /// Maximum number of concurrent send calls of this instance; `None` is no limit.
    pub max_concurrency: Option<u32>,
    /// Maximum number of messages sent per second by this instance; `None` is no limit.
    pub max_per_second: Option<u32>,
    /// Options of the vendor.
    pub options: BTreeMap<String, String>,
}

/// Returns the callback address of a provider. `token` authenticates vendors that do not sign.
pub(crate) fn callback_url(public_url: &str, provider: &str, token: Option<&str>) -> String {
    let address = format!("{public_url}/callbacks/providers/{provider}");
    match token {
        Some(token) => format!("{address}?token={token}"),
        None => address,
    }
}

/// Error in the declaration of a provider. Names the provider and the key, never a credential.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeclarationError {
    /// Key that the vendor does not have.
    #[error("provider {provider:?}: unknown key {key:?}")]
    UnknownKey {
        /// Name of the provider.
        provider: String,
        /// Name of the key.
        key: String,
    },
    /// Credential or option that the vendor does not have.
    #[error("provider {provider:?}: unknown key {key:?} in {section}, {known}")]
    UnknownIn {
        /// Name of the provider.
        provider: String,
        /// Name of the key.
        key: String,
        /// Table of the key.
        section: &'static str,
        /// Description of the keys that the table may have.
        known: String,
    },
    /// Missing or invalid value.
    #[error("provider {provider:?}: {key} {problem}")]
    Invalid {
        /// Name of the provider.
        provider: String,
        /// Name of the key.
        key: String,
        /// Description of the problem, to follow the key.
        problem: String,
    },
}

impl Declaration {
    /// Returns the declaration of a provider for every country, without credentials and options.
    pub fn new(name: impl Into<String>, kind: Kind, channel: Channel) -> Self {
        Self {
            name: name.into(),
            kind,
            channel,
            sender: None,
            base_url: None,
            credentials: BTreeMap::new(),
            routes: vec![Route { country: None, priority: 1 }],
            timeout: None,
            reconcile_after: None,
            without_report: WithoutReport::default(),
            max_concurrency: None,
            max_per_second: None,
            options: BTreeMap::new(),
        }
    }

    /// Returns the address to enter in the vendor's console; `None` if the vendor makes no
    /// callbacks. The token in it, if any, is a secret, which is derived from `key`.
    pub fn callback_address(&self, public_url: &str, key: &[u8]) -> Option<String> {
        let token = match self.kind.0.callbacks {
            Callbacks::None => return None,
            Callbacks::Signed => None,
            Callbacks::Token => Some(signature::callback_token(key, &self.name)),
        };
        Some(callback_url(public_url, &self.name, token.as_deref()))
    }

    /// Returns the time-out of a call.
    pub fn longest_call(&self) -> Duration {
        self.timeout.unwrap_or(DEFAULT_TIMEOUT)
    }

    /// Returns the keys that differ from `other` and hold until the service ends: the states, queues
    /// and limits of the provider depend on them.
    pub fn lasting_differences(&self, other: &Self) -> Vec<&'static str> {
        let differences = [
            ("kind", self.kind != other.kind),
            ("channel", self.channel != other.channel),
            ("route", self.routes != other.routes),
            ("timeout_ms", self.timeout != other.timeout),
            ("reconcile_after_s", self.reconcile_after != other.reconcile_after),
            ("reports or unreported", self.without_report != other.without_report),
            ("max_concurrency", self.max_concurrency != other.max_concurrency),
            ("max_per_second", self.max_per_second != other.max_per_second),
        ];
        differences.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }

    /// Returns this declaration with all values of `newer` that may change while the service runs.
    #[must_use]
    pub fn renewed_by(&self, newer: &Self) -> Self {
        if self.kind != newer.kind || self.channel != newer.channel {
            return self.clone();
        }
        Self {
            sender: newer.sender.clone(),
            base_url: newer.base_url.clone(),
            credentials: newer.credentials.clone(),
            options: newer.options.clone(),
            ..self.clone()
        }
    }

    /// Checks the values that all declarations have in common.
    pub(crate) fn check_common_values(&self) -> Result<(), DeclarationError> {
        self.check_name()?;
        if !self.kind.0.channels.contains(&self.channel) {
            let problem = format!("{} is not carried by {}", self.channel, self.kind);
            return Err(self.invalid("channel", problem));
        }
        self.check_keys(self.kind.0)?;
        if self.routes.is_empty() {
            return Err(self.invalid("route", "is missing: it would never be used"));
        }
        let timeouts = Duration::from_millis(100)..=MAX_TIMEOUT;
        if self.timeout.is_some_and(|timeout| !timeouts.contains(&timeout)) {
            return Err(self.invalid("timeout_ms", "must be from 100 to 60000"));
        }
        let report_timeouts = Duration::from_secs(1)..=Duration::from_secs(86_400);
        if self.reconcile_after.is_some_and(|timeout| !report_timeouts.contains(&timeout)) {
            return Err(self.invalid("reconcile_after_s", "must be from 1 to 86400"));
        }
        if self.max_concurrency.is_some_and(|calls| !(1..=10_000).contains(&calls)) {
            return Err(self.invalid("max_concurrency", "must be from 1 to 10000"));
        }
        if self.max_per_second.is_some_and(|rate| !(1..=100_000).contains(&rate)) {
            return Err(self.invalid("max_per_second", "must be from 1 to 100000"));
        }
        Ok(())
    }

    fn check_name(&self) -> Result<(), DeclarationError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(1..=64).contains(&self.name.len()) || !self.name.bytes().all(is_plain) {
            let problem = "must have 1 to 64 ASCII letters, digits, hyphens and underscores";
            return Err(self.invalid("name", problem));
        }
        if self.name == provider::SANDBOX {
            return Err(self.invalid("name", "is reserved"));
        }
        Ok(())
    }

    /// Refuses unknown keys, and missing or empty credentials.
    fn check_keys(&self, vendor: &Vendor) -> Result<(), DeclarationError> {
        let known = [vendor.required_credentials, vendor.optional_credentials].concat();
        for key in self.credentials.keys() {
            if !known.contains(&key.as_str()) {
                return Err(self.unknown_key(key, "credentials", &known));
            }
        }
        for key in self.options.keys() {
            if !vendor.options.contains(&key.as_str()) {
                return Err(self.unknown_key(key, "options", vendor.options));
            }
        }
        for key in vendor.required_credentials {
            self.credential(key)?;
        }
        for key in self.credentials.keys() {
            self.credential(key)?;
        }
        Ok(())
    }

    /// Returns the time to wait for a report before the vendor is queried.
    pub(crate) fn report_timeout(&self) -> TimeDelta {
        let usual = TimeDelta::seconds(self.kind.0.report_timeout.into());
        match self.reconcile_after {
            Some(declared) => TimeDelta::from_std(declared).unwrap_or(usual),
            None => usual,
        }
    }

    /// Returns a credential. Fails if it is missing.
    pub(crate) fn credential(&self, key: &str) -> Result<&Secret, DeclarationError> {
        match self.credentials.get(key) {
            Some(secret) if !secret.expose().is_empty() => Ok(secret),
            Some(_) => Err(self.invalid_credential(key, "must not be empty")),
            None => Err(self.invalid_credential(key, "is missing")),
        }
    }

    /// Returns an option; `None` if it was not declared.
    pub(crate) fn option<T: FromStr>(&self, key: &str) -> Result<Option<T>, DeclarationError> {
        let Some(text) = self.options.get(key) else { return Ok(None) };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.invalid_option(key, "makes no sense")),
        }
    }

    /// Returns the address of a vendor over HTTP whose usual address is `usual`.
    pub(crate) fn url(&self, usual: &str) -> Result<Url, DeclarationError> {
        let base = self.base_url.as_deref().unwrap_or(usual).trim_end_matches('/');
        match Url::parse(base) {
            Ok(url) if is_http_without_user(&url) && url.query().is_none() => Ok(url),
            _ => Err(self.invalid("base_url", "must be an http(s) URL without user and query")),
        }
    }

    /// Returns the error for a credential.
    pub(crate) fn invalid_credential(&self, key: &str, problem: &str) -> DeclarationError {
        self.invalid(&format!("credentials.{key}"), problem)
    }

    /// Returns the error for an option.
    pub(crate) fn invalid_option(&self, key: &str, problem: &str) -> DeclarationError {
        self.invalid(&format!("options.{key}"), problem)
    }

    /// Returns the error for a value of this declaration.
    pub(crate) fn invalid(&self, key: &str, problem: impl Into<String>) -> DeclarationError {
        DeclarationError::Invalid {
            provider: self.name.clone(),
            key: key.to_owned(),
            problem: problem.into(),
        }
    }

    fn unknown_key(
        &self,
        key: &str,
        section: &'static str,
        known: &[&'static str],
    ) -> DeclarationError {
        let known = match known {
            [] => format!("of which {} has none", self.kind),
            _ => format!("which may have {}", known.join(", ")),
        };
        let (provider, key) = (self.name.clone(), key.to_owned());
        DeclarationError::UnknownIn { provider, key, section, known }
    }
}

/// True if an address is one of HTTP and contains no credentials.
pub(crate) fn is_http_without_user(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
}

#[cfg(test)]
mod tests;
