//! Signals between instances, which make them look for work and changes before their next poll.
//!
//! Nothing depends on a signal: it says where to look, never what is there. An instance that misses one
//! finds the same in the store a moment later. So sending one never fails, and never waits.
//!
//! ```
//! use ports::shared::signals::{DueWork, WakeSignal};
//!
//! /// Signal that nobody receives.
//! struct Silent;
//!
//! impl WakeSignal for Silent {
//!     fn signal(&self, _: DueWork) {}
//! }
//!
//! Silent.signal(DueWork::Messages);
//! ```

use domain::{identity::organization::Organization, shared::id::Id};

use super::nobody::Nobody;

/// Wakes all instances, this one included, when work is due that no instance has in flight.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait WakeSignal: Send + Sync {
    /// Signals that the store has work of that kind.
    fn signal(&self, work: DueWork);
}

/// Broadcasts to all instances, this one included, a change of data that they cache.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait ChangeBroadcast: Send + Sync {
    /// Broadcasts a change that is in the store.
    fn broadcast(&self, change: Change);
}

impl WakeSignal for Nobody {
    fn signal(&self, _: DueWork) {}
}

impl ChangeBroadcast for Nobody {
    fn broadcast(&self, _: Change) {}
}

/// Receives the signals of other instances.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait SignalListener: Send + Sync {
    /// Handles a signal of another instance.
    fn receive(&self, signal: Signal);
}

/// Signal from one instance to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Work is due.
    Due(DueWork),
    /// Cached data has changed.
    Changed(Change),
}

/// Work that any instance may take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DueWork {
    /// Messages that no worker has in memory.
    Messages,
    /// Campaign that may go on.
    Campaigns,
    /// File of an import that has come in, or an import to undo.
    Imports,
    /// Events for an organization, for the instance that leases its webhook endpoints.
    WebhookEvents(Id<Organization>),
}

domain::closed_list! {
    /// Kind of a change in the store.
    pub enum Change {
        /// API keys.
        ApiKeys = "api-keys",
        /// Data of an organization: its settings, limits, sender names, webhook endpoints or
        /// suspension.
        Organizations = "organizations",
        /// Prices.
        Prices = "prices",
        /// An event, or a template of one.
        Events = "events",
        /// Reasons that hold messages back: sending windows, and campaigns that are paused or
        /// cancelled.
        Holds = "holds",
        /// States of providers: breakers and demotions.
        Providers = "providers",
    }
    impl FromStr else "is no kind of change in the store";
}
