//! Traffic and payments of all organizations at present.
//!
//! ```
//! use domain::platform::activity::Activity;
//!
//! let activity = Activity { accepted_lately: 95, ..Activity::default() };
//! assert_eq!(activity.accepted_per_minute(), 10);
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::organization::Organization,
    platform::message_figures::{Interval, MessageCounts},
    shared::{id::Id, money::Money},
};

/// Number of minutes over which the rate of accepted messages is taken.
pub const RATE_MINUTES: u64 = 10;
/// Maximum number of failing endpoints in an [`Activity`].
pub const ENDPOINTS_SHOWN: usize = 20;

/// Traffic and payments of all organizations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    /// Number of messages accepted in the last [`RATE_MINUTES`] whole minutes, tests included.
    pub accepted_lately: u64,
    /// Live messages accepted today (UTC).
    pub today: MessageCounts,
    /// Amount that was paid into wallets today (UTC), over the gateway and outside of it.
    pub paid_in: Money,
    /// Live messages of this hour and the one before by the provider that has them, or had them last;
    /// `None` for those that no provider has taken.
    pub providers: Vec<(Option<String>, MessageCounts)>,
    /// Active webhook endpoints at which every call fails, longest failing first: one more than
    /// [`ENDPOINTS_SHOWN`] if there are more.
    pub failing_endpoints: Vec<FailingEndpoint>,
}

/// Webhook endpoint at which every call fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingEndpoint {
    /// Organization that owns the endpoint.
    pub organization: Id<Organization>,
    /// URL of the endpoint.
    pub url: String,
    /// Time since which every call has failed.
    pub since: DateTime<Utc>,
}

impl Activity {
    /// Returns the number of messages accepted per minute, rounded.
    pub const fn accepted_per_minute(&self) -> u64 {
        (self.accepted_lately + RATE_MINUTES / 2) / RATE_MINUTES
    }

    /// Returns the time since which messages are counted by provider.
    pub fn providers_since(now: DateTime<Utc>) -> DateTime<Utc> {
        Interval::Hour.floor(now) - TimeDelta::hours(1)
    }
}
