//! The declared providers and the adapters that reach them.

mod lines;
mod states;

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    channel::Channel,
    message::{Draft, Message},
    provider::{self, Candidate, Provider, WithoutReport},
};
use ports::providers::{MessagingProvider, ProviderRegistry};

use self::lines::Lines;
pub use self::{lines::LineCapacity, states::ProviderStates};

/// How long to wait for the word of a provider that is no longer declared.
const DEFAULT_PATIENCE: TimeDelta = TimeDelta::minutes(10);

/// A provider with the adapter that reaches it.
pub struct ConfiguredProvider {
    /// What was declared of it.
    pub provider: Provider,
    /// How it is reached.
    pub adapter: Arc<dyn MessagingProvider>,
}

/// All declared providers, and the one that plays every sandbox message.
pub struct Providers {
    declared: Vec<Provider>,
    adapters: HashMap<String, Arc<dyn MessagingProvider>>,
    lines: Lines,
    states: ProviderStates,
}

/// A provider to try, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop<'p> {
    pub(crate) name: &'p str,
    pub(crate) is_probe: bool,
}

impl Providers {
    /// `carriers` for live messages, `sandbox` for all others. What is thought of them stays in this
    /// process.
    pub fn new(carriers: Vec<ConfiguredProvider>, sandbox: Arc<dyn MessagingProvider>) -> Self {
        let mut adapters: HashMap<_, _> = carriers
            .iter()
            .map(|carrier| (carrier.provider.name.clone(), Arc::clone(&carrier.adapter)))
            .collect();
        adapters.insert(provider::SANDBOX.to_owned(), sandbox);
        let declared: Vec<_> = carriers.into_iter().map(|carrier| carrier.provider).collect();
        let lines = Lines::of(&declared);
        Self { declared, adapters, lines, states: ProviderStates::default() }
    }

    /// The same providers, with what is thought of them shared by all instances.
    #[must_use]
    pub fn shared_through(self, registry: Arc<dyn ProviderRegistry>) -> Self {
        Self { states: ProviderStates::shared_through(registry), ..self }
    }

    /// The declared providers.
    pub fn declared(&self) -> &[Provider] {
        &self.declared
    }

    /// Whether any provider takes such a message.
    pub fn serve(&self, draft: &Draft, is_sandbox: bool) -> bool {
        is_sandbox || provider::serves(&self.declared, draft.channel, draft.country)
    }

    /// The provider that a message will be handed to first, if nothing changes until then.
    pub fn first_for(&self, draft: &Draft, is_sandbox: bool, now: DateTime<Utc>) -> Option<&str> {
        if is_sandbox {
            return Some(provider::SANDBOX);
        }
        self.candidates(draft, now).first().map(|candidate| candidate.provider.name.as_str())
    }

    /// The providers to try for a message, best first. One that may already have the message comes
    /// last. An ordinary message may probe a provider whose rest is over before it goes on.
    pub(crate) fn route(&self, message: &Message, now: DateTime<Utc>) -> Vec<Stop<'_>> {
        if message.is_sandbox {
            return vec![Stop { name: provider::SANDBOX, is_probe: false }];
        }
        let draft = &message.draft;
        let candidates = self.candidates(draft, now);
        let mut stops: Vec<_> = candidates
            .iter()
            .map(|it| Stop { name: it.provider.name.as_str(), is_probe: it.is_probe })
            .collect();
        if !draft.category.is_urgent()
            && let Some(resting) = provider::probe_due(
                &self.declared,
                |provider| self.states.of(&provider.name),
                draft.channel,
                draft.country,
                now,
            )
            && stops.iter().all(|stop| !stop.is_probe)
        {
            stops.insert(0, Stop { name: resting.name.as_str(), is_probe: true });
        }
        stops.sort_by_key(|stop| message.provider.as_deref() == Some(stop.name));
        stops
    }

    /// Whether a declared provider carries a channel.
    pub(crate) fn carries(&self, name: &str, channel: Channel) -> bool {
        self.declared.iter().any(|it| it.name == name && it.channel == channel)
    }

    fn candidates(&self, draft: &Draft, now: DateTime<Utc>) -> Vec<Candidate<'_>> {
        let state = |provider: &Provider| self.states.of(&provider.name);
        provider::route(&self.declared, state, draft.channel, draft.country, now)
    }

    /// What is thought of the providers.
    pub fn states(&self) -> &ProviderStates {
        &self.states
    }

    /// The adapter of a provider, by its name.
    pub(crate) fn adapter(&self, name: &str) -> Option<&Arc<dyn MessagingProvider>> {
        self.adapters.get(name)
    }

    /// What follows when a provider never reports on a message.
    pub(crate) fn without_report(&self, name: &str) -> WithoutReport {
        let declared = self.declared.iter().find(|provider| provider.name == name);
        declared.map_or_else(WithoutReport::default, |provider| provider.without_report)
    }

    /// The other providers of the same vendor.
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

    /// How long to wait for a provider's word.
    pub(crate) fn patience(&self, name: &str) -> TimeDelta {
        if name == provider::SANDBOX {
            return SANDBOX_PATIENCE;
        }
        let declared = self.declared.iter().find(|provider| provider.name == name);
        declared.map_or(DEFAULT_PATIENCE, |provider| provider.report_timeout)
    }
}

/// The sandbox reports within moments; a report that a crash lost is made up for soon.
const SANDBOX_PATIENCE: TimeDelta = TimeDelta::seconds(5);

#[cfg(test)]
mod tests;
