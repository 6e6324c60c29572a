//! Caches of this instance, and the follower that keeps them current.

use std::sync::Arc;

use adapters_postgres::PgStore;
use domain::content::sender_name::SenderRule;
use ports::shared::clock::Clock;
use usecases::{
    identity::policies::{Policies, PolicySources},
    messaging::holding::Holding,
    money::prices::Prices,
    outreach::events::EventCache,
    providers::provider_registry::{FollowedStates, SharedStates},
    shared::change_follower::{ChangeFollower, FollowedCache},
};

use super::Wiring;
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
        let sources = PolicySources {
            organizations: store(),
            sender_names: store(),
            subscriptions: store(),
            traffic: store(),
        };
        Self {
            policies: Policies::new(sources, rule, clock(), others()),
            holding: Holding::new(store(), store(), store(), others()),
            prices: Prices::new(store(), clock(), others()),
            events: EventCache::new(store(), clock(), others()),
        }
    }
}

/// Returns the sharing of states of providers with all instances.
pub(super) fn sharing(store: &Arc<PgStore>, signals: &Arc<Signals>) -> SharedStates {
    SharedStates { registry: Arc::clone(store) as _, change_broadcaster: Arc::clone(signals) as _ }
}

impl Wiring {
    /// Returns the follower of changes, which reads through `store` alone. A new cache is added here.
    pub(in crate::service) fn follower(&self, store: &Arc<PgStore>) -> ChangeFollower {
        let own = || Arc::clone(store);
        let caches: [Arc<dyn FollowedCache>; 6] = [
            Arc::new(self.api.api_keys.clone()),
            Arc::new(self.core.policies.clone()),
            Arc::new(self.core.event_cache.clone()),
            Arc::new(self.core.prices.through(own())),
            Arc::new(self.core.holding.through(own(), own(), own())),
            Arc::new(FollowedStates::new(Arc::clone(&self.core.providers), own())),
        ];
        ChangeFollower::new(own(), Arc::clone(&self.core.clock), caches)
    }
}
