//! The declared providers and the adapters that reach them.

mod followed_states;
mod provider_queues;
mod states;

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::message::{Draft, Message},
    providers::provider::{self, Candidate, Provider, WithoutReport},
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

use self::provider_queues::ProviderQueues;
pub use self::{
    followed_states::FollowedStates,
    provider_queues::QueueCapacity,
    states::{ProviderStates, SharedStates},
};

/// Report timeout of a provider that is no longer declared.
const DEFAULT_REPORT_TIMEOUT: TimeDelta = TimeDelta::minutes(10);
/// Report timeout of the sandbox, which reports within moments: the loss of a report in a crash is
/// soon made up for.
const SANDBOX_REPORT_TIMEOUT: TimeDelta = TimeDelta::seconds(5);

/// A provider with the adapter that reaches it.
pub struct ConfiguredProvider {
    /// Declaration of the provider.
    pub provider: Provider,
    /// Adapter that reaches it.
    pub adapter: Arc<dyn MessagingProvider>,
}

/// All declared providers, and the sandbox, which takes all sandbox messages.
pub struct Providers {
    declared: Vec<Provider>,
    adapters: HashMap<String, Arc<dyn MessagingProvider>>,
    provider_queues: ProviderQueues,
    states: ProviderStates,
}

/// A provider to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RouteStep<'p> {
    pub(crate) provider: &'p str,
    pub(crate) is_probe: bool,
}

impl Providers {
    /// Uses `configured` for live messages, and `sandbox` for all others. Without `sharing`, their states
    /// stay in this process.
    pub fn new(
        configured: Vec<ConfiguredProvider>,
        sandbox: Arc<dyn MessagingProvider>,
        sharing: Option<SharedStates>,
    ) -> Self {
        let mut declared = Vec::with_capacity(configured.len());
        let mut adapters = HashMap::new();
        for ConfiguredProvider { provider, adapter } in configured {
            adapters.insert(provider.name.clone(), adapter);
            declared.push(provider);
        }
        adapters.insert(provider::SANDBOX.to_owned(), sandbox);
        let provider_queues = ProviderQueues::of(&declared);
        Self { declared, adapters, provider_queues, states: ProviderStates::new(sharing) }
    }

    /// Returns the declared providers.
    pub fn declared(&self) -> &[Provider] {
        &self.declared
    }

    /// True if a provider takes such a message.
    pub fn serves(&self, draft: &Draft, is_sandbox: bool) -> bool {
        is_sandbox || provider::serves(&self.declared, draft.channel, draft.country)
    }

    /// Returns the provider that a message will be handed to first if nothing changes until then.
    pub fn first_for(&self, draft: &Draft, is_sandbox: bool, now: DateTime<Utc>) -> Option<&str> {
        if is_sandbox {
            return Some(provider::SANDBOX);
        }
        self.candidates(draft, now).first().map(|candidate| candidate.provider.name.as_str())
    }

    /// Returns the providers to try for a message, best first. One that may already have the
    /// message comes last. An ordinary message may first probe a provider whose rest is over.
    pub(crate) fn route(&self, message: &Message, now: DateTime<Utc>) -> Vec<RouteStep<'_>> {
        if message.is_sandbox {
            return vec![RouteStep { provider: provider::SANDBOX, is_probe: false }];
        }
        let draft = &message.draft;
        let mut route = Vec::new();
        for Candidate { provider, is_probe } in self.candidates(draft, now) {
            route.push(RouteStep { provider: &provider.name, is_probe });
        }
        let probes_already = route.iter().any(|step| step.is_probe);
        if !draft.category.is_urgent()
            && !probes_already
            && let Some(resting) = self.probe_due(draft, now)
        {
            route.insert(0, RouteStep { provider: &resting.name, is_probe: true });
        }
        route.sort_by_key(|step| message.provider.as_deref() == Some(step.provider));
        route
    }

    fn candidates(&self, draft: &Draft, now: DateTime<Utc>) -> Vec<Candidate<'_>> {
        let state = |provider: &Provider| self.states.of(&provider.name);
        provider::route(&self.declared, state, draft.channel, draft.country, now)
    }

    /// Returns a provider whose rest is over, to be probed by an ordinary message.
    fn probe_due(&self, draft: &Draft, now: DateTime<Utc>) -> Option<&Provider> {
        let state = |provider: &Provider| self.states.of(&provider.name);
        provider::probe_due(&self.declared, state, draft.channel, draft.country, now)
    }

    /// True if a declared provider carries a channel.
    pub(crate) fn carries(&self, name: &str, channel: Channel) -> bool {
        self.declared.iter().any(|it| it.name == name && it.channel == channel)
    }

    /// Returns the states of the providers.
    pub fn states(&self) -> &ProviderStates {
        &self.states
    }

    /// Returns the adapter of a provider, by its name.
    pub(crate) fn adapter(&self, name: &str) -> Option<&Arc<dyn MessagingProvider>> {
        self.adapters.get(name)
    }

    /// Consequence of a missing report of a provider.
    pub(crate) fn without_report(&self, name: &str) -> WithoutReport {
        let declared = self.declared.iter().find(|provider| provider.name == name);
        declared.map_or_else(WithoutReport::default, |provider| provider.without_report)
    }

    /// Returns the other providers of the same vendor.
    pub(crate) fn of_same_kind<'p>(
        &'p self,
        name: &str,
    ) -> impl Iterator<Item = (&'p str, &'p Arc<dyn MessagingProvider>)> {
        let known = self.declared.iter().find(|provider| provider.name == name);
        let others = self.declared.iter().filter(move |other| {
            known.is_some_and(|known| known.kind == other.kind && known.name != other.name)
        });
        others.filter_map(|other| Some((other.name.as_str(), self.adapters.get(&other.name)?)))
    }

    /// Time to wait for a provider's report.
    pub(crate) fn report_timeout(&self, name: &str) -> TimeDelta {
        if name == provider::SANDBOX {
            return SANDBOX_REPORT_TIMEOUT;
        }
        let declared = self.declared.iter().find(|provider| provider.name == name);
        declared.map_or(DEFAULT_REPORT_TIMEOUT, |provider| provider.report_timeout)
    }
}

#[cfg(test)]
mod tests;
