//! Caches of this instance, which broadcast their changes to other instances.

use std::sync::Arc;

use adapters_postgres::PgStore;
use domain::content::sender_name::SenderRule;
use ports::shared::clock::Clock;
use usecases::{
    identity::policies::{Policies, PolicySources},
    messaging::holding::Holding,
    money::prices::Prices,
    outreach::events::EventCache,
    providers::provider_registry::Providers,
};

use crate::signals::Signals;

/// Caches of records that are trusted until they change.
pub(super) struct Caches {
    pub(super) policies: Policies,
    pub(super) holding: Holding,
    pub(super) prices: Prices,
    pub(super) events: EventCache,
}

impl Caches {
    pub(super) fn new(
        store: &Arc<PgStore>,
        rule: SenderRule,
        clock: &Arc<dyn Clock>,
        signals: &Arc<Signals>,
    ) -> Self {
        let (store, clock) = (|| Arc::clone(store), || Arc::clone(clock));
        let others = || Arc::clone(signals);
        let policies = Policies::new(policy_sources(&store()), rule, clock());
        Self {
            policies: policies.broadcasting(others()),
            holding: Holding::new(store(), store(), store()).broadcasting(others()),
            prices: Prices::new(store(), clock()).broadcasting(others()),
            events: EventCache::new(store(), clock()).broadcasting(others()),
        }
    }
}

/// Returns the providers, with states that all instances share.
pub(super) fn providers(
    providers: Providers,
    store: &Arc<PgStore>,
    signals: &Arc<Signals>,
) -> Arc<Providers> {
    let providers = providers.shared_through(Arc::clone(store) as _);
    Arc::new(providers.broadcasting(Arc::clone(signals) as _))
}

/// Returns the sources of policies, which are read through `store`.
pub(in crate::service) fn policy_sources(store: &Arc<PgStore>) -> PolicySources {
    let store = || Arc::clone(store);
    PolicySources {
        organizations: store(),
        sender_names: store(),
        subscriptions: store(),
        traffic: store(),
    }
}
