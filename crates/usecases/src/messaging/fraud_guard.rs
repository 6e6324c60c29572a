//! Fraud guard: refusals by destination, and counts of arrivals.

mod arrivals;
mod velocity;

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    identity::{organization::Organization, policy::Policy},
    messaging::{
        delivery::{Failure, FailureCode},
        message::Draft,
        priority::Origin,
    },
    platform::fraud_guard::{self, VelocityLimit},
    shared::id::Id,
};
use metrics::Counter;
use ports::shared::store::StoreError;

pub use self::arrivals::TrafficCounter;
use self::velocity::VelocityBuckets;
use crate::identity::policies::Policies;

/// Codes of messages that are refused for their destinations.
const REFUSALS: [FailureCode; 3] =
    [FailureCode::CountryNotAllowed, FailureCode::VelocityLimit, FailureCode::TrafficStopped];

/// Counts a message that was refused for its destination.
pub(crate) fn count_refusal(code: FailureCode) {
    if REFUSALS.contains(&code) {
        refusals(code).increment(1);
    }
}

/// Registers the counters of refused messages, so that they exist before the first.
pub fn register_refusals() {
    for code in REFUSALS {
        refusals(code).increment(0);
    }
}

fn refusals(code: FailureCode) -> Counter {
    metrics::counter!("atumpan_messages_refused_for_fraud_total", "code" => code.as_str())
}

/// Guard that refuses messages by destination. Clones share their counts.
#[derive(Clone)]
pub struct FraudGuard {
    policies: Policies,
    /// `None` if the number of messages is not limited.
    velocity: Option<Arc<VelocityBuckets>>,
}

impl FraudGuard {
    /// Creates a guard with these policies, which limits the number of messages to the same numbers if
    /// `is_limiting`.
    pub fn new(policies: Policies, is_limiting: bool) -> Self {
        Self { policies, velocity: is_limiting.then(Arc::default) }
    }

    /// Returns the policy of an organization.
    pub(crate) async fn policy(
        &self,
        organization: Id<Organization>,
    ) -> Result<Arc<Policy>, StoreError> {
        Ok(self.policies.of_or_last_known(organization).await?.unwrap_or_default())
    }

    /// Returns the reason to refuse a draft after too many messages to the same numbers; if there is
    /// none, counts the draft.
    pub(crate) fn take(
        &self,
        (organization, origin): (Id<Organization>, Origin),
        draft: &Draft,
        policy: &Policy,
        now: DateTime<Utc>,
    ) -> Option<Failure> {
        let velocity = self.velocity.as_ref()?;
        let limits = fraud_guard::velocity_limits(draft, policy, origin);
        let now = Duration::from_millis(u64::try_from(now.timestamp_millis()).unwrap_or_default());
        velocity.take(organization, &limits, now).err().map(VelocityLimit::failure)
    }
}
