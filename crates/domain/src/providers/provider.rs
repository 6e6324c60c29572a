//! Providers: who carries messages, where to, and how they may answer.

pub(crate) mod attempt;
pub(crate) mod outcome;

use chrono::{DateTime, TimeDelta, Utc};

pub use self::{
    attempt::{Attempt, AttemptEnd, AttemptOutcome, AttemptState},
    outcome::{FollowUp, Outcome},
};
use crate::{
    messaging::{delivery::DeliveryEvent, message::Message},
    providers::provider_state::{ProviderState, Rank},
    shared::{
        channel::Channel,
        country::Country,
        id::{Id, Unowned},
    },
};

/// A declared provider and what it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The operator's name for it, unique in the installation.
    pub name: String,
    /// The vendor, as it is named in declarations.
    pub kind: &'static str,
    /// The channel it carries.
    pub channel: Channel,
    /// Where it may be used.
    pub routes: Vec<Route>,
    /// How long to wait for its report, or to doubt its answer, before asking it or moving on.
    pub report_timeout: TimeDelta,
    /// What follows when it never reports on a message that it took.
    pub without_report: WithoutReport,
}

impl Unowned for Provider {}

/// What follows when a provider never reports on a message that it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutReport {
    /// The message stays sent, and says that no report came.
    #[default]
    Noted,
    /// The message fails and is refunded.
    Refunded,
    /// Nothing: the provider makes no reports, and none is waited for.
    Expected,
}

/// A country that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The country; `None` is any. Numbers of no country must be named.
    pub country: Option<Country>,
    /// Routes of a lower number are tried first.
    pub priority: u16,
}

/// The name of the provider that serves every sandbox message.
pub const SANDBOX: &str = "sandbox";

/// A provider to try for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'p> {
    /// The provider.
    pub provider: &'p Provider,
    /// Whether the message would probe it: only one message may at a time.
    pub is_probe: bool,
}

/// The providers to try for a message to `country` over `channel`, best first.
///
/// Those that name the country come before those that take any, then priority decides, raised by
/// a provider's demotion, then the order of declaration. A provider whose breaker is open
/// is no candidate while the breaker of another is closed. When all are open, those whose rest is
/// over are candidates for a probe.
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

/// Whether any provider is declared for `country` over `channel`, in order or not.
pub fn serves(providers: &[Provider], channel: Channel, country: Country) -> bool {
    providers.iter().any(|provider| provider.channel == channel && provider.serves(country))
}

/// A provider whose rest is over and that no candidate is: one message may probe it before it goes
/// on to the candidates.
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

/// What a provider reports of a message that it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The message, by our own identifier.
    pub message: Id<Message>,
    /// Who reports; `None` is whoever holds the message.
    pub provider: Option<String>,
    /// What happened to it.
    pub event: DeliveryEvent,
}

/// What a provider says when it is asked for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookUp {
    /// This has happened to it.
    Found(DeliveryEvent),
    /// It is known, and nothing more can be said yet.
    Waiting,
    /// The provider never got it.
    NotFound,
    /// The provider cannot be asked, or did not answer.
    Unavailable,
}

/// What a look at a provider's account showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Whether it can be used.
    pub status: CheckStatus,
    /// What it showed, for people. Never holds a credential.
    pub message: String,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// It answers, and knows us.
    Up,
    /// It answers, but something will keep messages from being sent soon, such as an empty account.
    Degraded,
    /// It does not answer, or does not know us.
    Down,
}

impl CheckStatus {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Degraded => "DEGRADED",
            Self::Down => "DOWN",
        }
    }
}

#[cfg(test)]
mod tests;
