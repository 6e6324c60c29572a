//! The declared providers and the adapters that reach them.

use std::{collections::HashMap, sync::Arc};

use chrono::TimeDelta;
use domain::{
    message::{Draft, Message},
    provider::{self, Provider},
};
use ports::providers::MessagingProvider;

/// How long to wait for the word of a provider that is no longer declared.
const DEFAULT_PATIENCE: TimeDelta = TimeDelta::minutes(10);

/// A provider with the adapter that reaches it.
pub struct Carrier {
    /// What was declared of it.
    pub provider: Provider,
    /// How it is reached.
    pub adapter: Arc<dyn MessagingProvider>,
}

/// All declared providers, and the one that plays every sandbox message.
pub struct Providers {
    declared: Vec<Provider>,
    adapters: HashMap<String, Arc<dyn MessagingProvider>>,
}

impl Providers {
    /// `carriers` for live messages, `sandbox` for all others.
    pub fn new(carriers: Vec<Carrier>, sandbox: Arc<dyn MessagingProvider>) -> Self {
        let mut adapters: HashMap<_, _> = carriers
            .iter()
            .map(|carrier| (carrier.provider.name.clone(), Arc::clone(&carrier.adapter)))
            .collect();
        adapters.insert(provider::SANDBOX.to_owned(), sandbox);
        Self { declared: carriers.into_iter().map(|carrier| carrier.provider).collect(), adapters }
    }

    /// Whether any provider takes such a message.
    pub fn serve(&self, draft: &Draft, is_sandbox: bool) -> bool {
        is_sandbox || !provider::route(&self.declared, draft.channel, draft.country).is_empty()
    }

    /// The names of the providers to try for a message, best first. One that may already have the
    /// message comes last.
    pub(crate) fn route(&self, message: &Message) -> Vec<&str> {
        if message.is_sandbox {
            return vec![provider::SANDBOX];
        }
        let draft = &message.draft;
        let routes = provider::route(&self.declared, draft.channel, draft.country);
        let mut names: Vec<_> = routes.iter().map(|provider| provider.name.as_str()).collect();
        names.sort_by_key(|name| message.provider.as_deref() == Some(name));
        names
    }

    /// The adapter of a provider, by its name.
    pub(crate) fn adapter(&self, name: &str) -> Option<&Arc<dyn MessagingProvider>> {
        self.adapters.get(name)
    }

    /// How long to wait for a provider's word.
    pub(crate) fn patience(&self, name: &str) -> TimeDelta {
        if name == provider::SANDBOX {
            return SANDBOX_PATIENCE;
        }
        let declared = self.declared.iter().find(|provider| provider.name == name);
        declared.map_or(DEFAULT_PATIENCE, |provider| provider.patience)
    }
}

/// The sandbox reports within moments; a report that a crash lost is made up for soon.
const SANDBOX_PATIENCE: TimeDelta = TimeDelta::seconds(5);
