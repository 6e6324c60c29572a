//! Providers as the operator declares them.

use std::{collections::BTreeMap, str::FromStr, sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{
    channel::Channel,
    provider::{self, Provider, Route, WithoutReport},
};
use ports::{
    clock::Clock,
    providers::{MessagingProvider, ReportSink},
};
use reqwest::Url;
use thiserror::Error;
use tokio::runtime::Handle;

use crate::{
    client::HttpClient,
    hosted::hosted,
    kind::{Callbacks, Kind, Vendor},
    limited::limited,
    secret::Secret,
    signature,
};

/// How long a call may take, unless declared otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a call may take at the most: leases on messages count on it.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(60);

/// A provider as it was declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The operator's name for it: ASCII letters, digits, `-` and `_`.
    pub name: String,
    /// The vendor.
    pub kind: Kind,
    /// The channel it is to carry.
    pub channel: Channel,
    /// The sender of messages that do not ask for one.
    pub sender: Option<String>,
    /// Where the vendor is reached, if not at its usual address.
    pub base_url: Option<String>,
    /// What the vendor knows us by.
    pub credentials: BTreeMap<String, Secret>,
    /// Where it may be used.
    pub routes: Vec<Route>,
    /// How long a call may take; 15 s if absent.
    pub timeout: Option<Duration>,
    /// How long to wait for a report; the vendor's usual time if absent.
    pub reconcile_after: Option<Duration>,
    /// What follows when it never reports on a message that it took.
    pub without_report: WithoutReport,
    /// How many calls that send may be under way at a time, from this instance; any number if
    /// absent.
    pub max_concurrency: Option<u32>,
    /// How many messages may be handed over in a second, by this instance; any number if absent.
    pub max_per_second: Option<u32>,
    /// What else the vendor can be told.
    pub options: BTreeMap<String, String>,
}

/// What adapters are made with.
pub struct Deps {
    /// The client that all vendors over HTTP share.
    pub http: HttpClient,
    /// Takes the reports of simulated providers.
    pub reports: Arc<dyn ReportSink>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where vendors reach this service, without a slash at the end.
    pub public_url: String,
    /// The most messages that each provider may have in hand at a time: on their way, or waiting for
    /// their turn.
    pub most_in_hand: usize,
    /// Where calls to vendors run: it must outlive those who make them.
    pub runtime: Handle,
}

impl Deps {
    /// The address that a provider's vendor is told to call. Vendors that do not sign prove by the
    /// token in it that they were told.
    pub(crate) fn callback_url(&self, provider: &str, token: Option<&str>) -> String {
        callback_url(&self.public_url, provider, token)
    }
}

fn callback_url(public_url: &str, provider: &str, token: Option<&str>) -> String {
    let token = token.map(|token| format!("?token={token}")).unwrap_or_default();
    format!("{public_url}/callbacks/providers/{provider}{token}")
}

/// A provider was declared wrongly. Names the provider and the key, never a credential.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeclarationError {
    /// The vendor knows nothing of that name.
    #[error("provider {provider:?}: unknown key {key:?}")]
    UnknownKey {
        /// The provider's name.
        provider: String,
        /// The key.
        key: String,
    },
    /// A value is missing or makes no sense.
    #[error("provider {provider:?}: {key} {problem}")]
    Invalid {
        /// The provider's name.
        provider: String,
        /// The key.
        key: String,
        /// What is wrong, to follow the key.
        problem: String,
    },
}

/// Makes what was declared.
pub fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<(Provider, Arc<dyn MessagingProvider>), DeclarationError> {
    declaration.check()?;
    let adapter = (declaration.kind.vendor().build)(declaration, deps)?;
    let adapter = hosted(adapter, deps.runtime.clone());
    let adapter = limited(adapter, declaration, deps.most_in_hand);
    let provider = Provider {
        name: declaration.name.clone(),
        kind: declaration.kind.as_str(),
        channel: declaration.channel,
        routes: declaration.routes.clone(),
        report_timeout: declaration.patience(),
        without_report: declaration.without_report,
    };
    Ok((provider, adapter))
}

impl Declaration {
    /// The address to enter in the vendor's console, if the vendor calls us. Its token, if it has
    /// one, is a secret.
    pub fn callback_address(&self, public_url: &str) -> Option<String> {
        if self.kind.vendor().callbacks == Callbacks::None {
            return None;
        }
        let token = self.token().ok()?;
        Some(callback_url(public_url, &self.name, token.as_deref()))
    }

    /// How long a call may take.
    pub fn longest_call(&self) -> Duration {
        self.timeout.unwrap_or(DEFAULT_TIMEOUT)
    }

    /// Checks all that can be checked without calling the vendor.
    pub fn check(&self) -> Result<(), DeclarationError> {
        let vendor = self.kind.vendor();
        self.check_name()?;
        if !vendor.channels.contains(&self.channel) {
            let problem = format!("{} is not carried by {}", self.channel, self.kind);
            return Err(self.invalid("channel", problem));
        }
        self.check_keys(vendor)?;
        if self.routes.is_empty() {
            return Err(self.invalid("route", "is missing: it would never be used"));
        }
        let timeouts = Duration::from_millis(100)..=MAX_TIMEOUT;
        if self.timeout.is_some_and(|timeout| !timeouts.contains(&timeout)) {
            return Err(self.invalid("timeout_ms", "must be from 100 to 60000"));
        }
        let patiences = Duration::from_secs(1)..=Duration::from_secs(86_400);
        if self.reconcile_after.is_some_and(|patience| !patiences.contains(&patience)) {
            return Err(self.invalid("reconcile_after_s", "must be from 1 to 86400"));
        }
        if self.max_concurrency.is_some_and(|places| !(1..=10_000).contains(&places)) {
            return Err(self.invalid("max_concurrency", "must be from 1 to 10000"));
        }
        if self.max_per_second.is_some_and(|rate| !(1..=100_000).contains(&rate)) {
            return Err(self.invalid("max_per_second", "must be from 1 to 100000"));
        }
        (vendor.check)(self)
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

    fn check_keys(&self, vendor: &Vendor) -> Result<(), DeclarationError> {
        let is_credential = |key: &str| [vendor.required, vendor.optional].concat().contains(&key);
        let credentials = self.credentials.keys().find(|key| !is_credential(key));
        let options = self.options.keys().find(|key| !vendor.options.contains(&key.as_str()));
        if let Some(key) = credentials.or(options) {
            return Err(DeclarationError::UnknownKey {
                provider: self.name.clone(),
                key: key.clone(),
            });
        }
        let given = self.credentials.keys().map(String::as_str);
        let mut credentials = vendor.required.iter().copied().chain(given);
        credentials.try_for_each(|key| self.credential(key).map(drop))
    }

    fn patience(&self) -> TimeDelta {
        let usual = TimeDelta::seconds(self.kind.vendor().patience.into());
        self.reconcile_after.and_then(|it| TimeDelta::from_std(it).ok()).unwrap_or(usual)
    }

    /// A credential, which must be there.
    pub(crate) fn credential(&self, key: &str) -> Result<&Secret, DeclarationError> {
        match self.credentials.get(key) {
            Some(secret) if !secret.expose().is_empty() => Ok(secret),
            Some(_) => Err(self.invalid(&format!("credentials.{key}"), "must not be empty")),
            None => Err(self.invalid(&format!("credentials.{key}"), "is missing")),
        }
    }

    /// What callbacks show, if the vendor proves itself by a token.
    pub(crate) fn token(&self) -> Result<Option<String>, DeclarationError> {
        let Callbacks::Token(key) = self.kind.vendor().callbacks else { return Ok(None) };
        Ok(Some(signature::token(self.credential(key)?.expose(), &self.name)))
    }

    /// An option, if it was given.
    pub(crate) fn option<T: FromStr>(&self, key: &str) -> Result<Option<T>, DeclarationError> {
        let invalid = |_| self.invalid(&format!("options.{key}"), "makes no sense");
        self.options.get(key).map(|text| text.parse().map_err(invalid)).transpose()
    }

    /// How long a call may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(DEFAULT_TIMEOUT)
    }

    /// The address of `path` at the vendor over HTTP, which is usually reached at `usual`.
    pub(crate) fn url(&self, usual: &str, path: &str) -> Result<Url, DeclarationError> {
        let base = self.base_url.as_deref().unwrap_or(usual).trim_end_matches('/');
        let url = Url::parse(&format!("{base}{path}"));
        let is_usable = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
        };
        url.ok().filter(is_usable).ok_or_else(|| {
            self.invalid("base_url", "must be an http(s) URL without user and query")
        })
    }

    /// The error for a value of this declaration.
    pub(crate) fn invalid(&self, key: &str, problem: impl Into<String>) -> DeclarationError {
        DeclarationError::Invalid {
            provider: self.name.clone(),
            key: key.to_owned(),
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests;
