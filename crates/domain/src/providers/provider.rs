//! Providers: their channels, routes, reports and checks.
//!
//! ```
//! use chrono::TimeDelta;
//! use domain::{
//!     providers::provider::{Provider, Route, WithoutReport, serves},
//!     shared::{channel::Channel, country::Country},
//! };
//!
//! let provider = Provider {
//!     name: "main".to_owned(),
//!     kind: "simulated",
//!     channel: Channel::Sms,
//!     routes: vec![Route { country: Some(Country::GH), priority: 1 }],
//!     report_timeout: TimeDelta::minutes(10),
//!     without_report: WithoutReport::default(),
//! };
//! assert!(serves(&[provider], Channel::Sms, Country::GH));
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    providers::provider_state::{ProviderState, Rank},
    shared::{channel::Channel, country::Country, id::Unowned},
};

/// Declared provider and its routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The operator's name for it, unique in the installation.
    pub name: String,
    /// Vendor, as named in declarations.
    pub kind: &'static str,
    /// Channel that it carries.
    pub channel: Channel,
    /// Countries where it may be used.
    pub routes: Vec<Route>,
    /// Time to wait for its report, or to doubt its answer, before asking it or moving on.
    pub report_timeout: TimeDelta,
    /// Consequence if it never reports on a message that it took.
    pub without_report: WithoutReport,
}

impl Unowned for Provider {}

/// Consequence if a provider never reports on a message that it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutReport {
    /// The message stays sent, with a note that no report came.
    #[default]
    Noted,
    /// The message fails and is refunded.
    Refunded,
    /// No consequence: the provider makes no reports, and none is waited for.
    Expected,
}

/// Country that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Country; `None` for any. Numbers of no country need a route that names
    /// [`Country::INTERNATIONAL`].
    pub country: Option<Country>,
    /// Priority number. Routes with a lower number are tried first.
    pub priority: u16,
}

/// Name of the provider that serves every sandbox message.
pub const SANDBOX: &str = "sandbox";

/// Provider to try for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'p> {
    /// The provider.
    pub provider: &'p Provider,
    /// True if the message would probe the provider, which only one message may do at a time.
    pub is_probe: bool,
}

/// Returns the providers to try for a message to `country` over `channel`, best first.
///
/// Those that name the country come before those that take any, then priority decides, raised by a
/// provider's demotion, then the order of declaration. A provider whose breaker is open is no
/// candidate while the breaker of another is closed. If all are open, those that are due for a
/// probe are candidates.
pub fn route(
    providers: &[Provider],
    state: impl Fn(&Provider) -> ProviderState,
    channel: Channel,
    country: Country,
    now: DateTime<Utc>,
) -> Vec<Candidate<'_>> {
    let mut ranked: Vec<_> = providers
        .iter()
        .filter(|provider| provider.channel == channel)
        .filter_map(|provider| {
            let state = state(provider);
            Some((provider.rank(country, state)?, state, provider))
        })
        .collect();
    ranked.sort_by_key(|(rank, ..)| *rank);

    let open_to_all = ranked.iter().filter(|(_, state, _)| state.is_open_to_all());
    let mut candidates: Vec<_> =
        open_to_all.map(|(.., provider)| Candidate { provider, is_probe: false }).collect();
    if candidates.is_empty() {
        let due = ranked.iter().filter(|(_, state, _)| state.is_probe_due(now));
        candidates.extend(due.map(|(.., provider)| Candidate { provider, is_probe: true }));
    }
    candidates
}

/// True if any provider is declared for `country` over `channel`, usable or not.
pub fn serves(providers: &[Provider], channel: Channel, country: Country) -> bool {
    providers.iter().any(|provider| provider.channel == channel && provider.serves(country))
}

/// Returns a provider that is due for a probe and is no candidate. One message may probe it before
/// it goes on to the candidates.
pub fn probe_due(
    providers: &[Provider],
    state: impl Fn(&Provider) -> ProviderState,
    channel: Channel,
    country: Country,
    now: DateTime<Utc>,
) -> Option<&Provider> {
    providers
        .iter()
        .filter(|provider| provider.channel == channel)
        .filter(|provider| state(provider).is_probe_due(now))
        .find(|provider| provider.serves(country))
}

impl Provider {
    fn serves(&self, country: Country) -> bool {
        self.routes.iter().any(|route| country.is_covered_by(route.country))
    }

    fn rank(&self, country: Country, state: ProviderState) -> Option<Rank> {
        self.routes
            .iter()
            .filter(|route| country.is_covered_by(route.country))
            .map(|route| state.rank(route.country.is_none(), route.priority))
            .min()
    }
}

/// Result of a check of a provider's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Status of the provider.
    pub status: CheckStatus,
    /// Result for people. Never contains a credential.
    pub message: String,
}

crate::closed_list! {
    /// Status of a provider that was checked.
    pub enum CheckStatus {
        /// The provider answers and accepts our account.
        Up = "UP",
        /// The provider answers, but something such as an empty account will soon prevent sending.
        Degraded = "DEGRADED",
        /// The provider does not answer, or does not accept our account.
        Down = "DOWN",
    }
}

#[cfg(test)]
mod tests;
