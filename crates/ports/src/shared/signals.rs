//! What instances tell each other, so that they look now instead of at their next look.
//!
//! Nothing depends on a signal: it says where to look, never what is there. Whoever misses one finds the
//! same in the store a moment later. So sending one never fails, and never waits.

use domain::{identity::organization::Organization, shared::id::Id};

/// Tells all instances, this one included, that work is due which nobody has in hand.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WakeSignal: Send + Sync {
    /// There is work of that kind in the store.
    fn signal(&self, work: DueWork);
}

/// Tells all instances, this one included, that something has changed of which they keep a copy.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait ChangeBroadcast: Send + Sync {
    /// The change is in the store.
    fn broadcast(&self, change: Change);
}

/// Takes what other instances signal.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SignalListener: Send + Sync {
    /// Another instance has sent this signal.
    fn hear(&self, signal: Signal);
}

/// What one instance tells the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Work is due.
    Due(DueWork),
    /// Something has changed.
    Changed(Change),
}

/// Work that any instance may take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DueWork {
    /// Messages that no worker has in memory.
    Messages,
    /// A campaign that may go on.
    Campaigns,
    /// Events that an organization is to be told by whoever has its webhook endpoints.
    WebhookEvents(Id<Organization>),
}

/// What has changed in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// An API key was revoked.
    ApiKeys,
    /// What holds for an organization: its settings, limits, sender names, webhook endpoints, or whether it
    /// is suspended.
    Organizations,
    /// Prices.
    Prices,
    /// An event, or a template of one.
    Events,
    /// What holds messages back: sending windows and campaigns that are paused or cancelled.
    Holds,
    /// The breaker of a provider.
    Providers,
}

impl Change {
    /// All there are.
    pub const ALL: [Self; 6] = [
        Self::ApiKeys,
        Self::Organizations,
        Self::Prices,
        Self::Events,
        Self::Holds,
        Self::Providers,
    ];
}
