//! Allowances for urgent messages, which are sent ahead of those of other organizations.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        message::Message,
        priority::{Priority, UrgentAllowance},
    },
    shared::id::Id,
};
use moka::sync::Cache;

/// Time without urgent messages after which an organization has the full allowance again.
const IDLE: Duration = Duration::from_secs(60);
/// Maximum number of cached organizations.
const ORGANIZATIONS: u64 = 131_072;

/// Cached allowances of organizations that have recently sent urgent messages, in this process.
pub(super) struct Urgency(Cache<Id<Organization>, Arc<Mutex<UrgentAllowance>>>);

impl Default for Urgency {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(ORGANIZATIONS).time_to_idle(IDLE).build())
    }
}

impl Urgency {
    /// Returns the priority of a message: its own while its organization is within its allowance.
    pub(super) fn priority(&self, message: &Message, now: DateTime<Utc>) -> Priority {
        let priority = message.priority;
        if priority.beyond_allowance() == priority {
            return priority;
        }
        let allowance = self
            .0
            .get_with(message.organization, || Arc::new(Mutex::new(UrgentAllowance::full(now))));
        let is_left = allowance.lock().unwrap_or_else(PoisonError::into_inner).take(now);
        if is_left { priority } else { priority.beyond_allowance() }
    }

    /// Number of urgent messages that an organization may still send.
    pub(super) fn left(&self, organization: Id<Organization>, now: DateTime<Utc>) -> u32 {
        match self.0.get(&organization) {
            Some(allowance) => allowance.lock().unwrap_or_else(PoisonError::into_inner).left(now),
            None => UrgentAllowance::BURST,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::shared::category::Category;

    use super::*;
    use crate::shared::fixtures::{NOW, queued};

    #[test]
    fn codes_beyond_the_allowance_have_ordinary_priority() {
        let urgency = Urgency::default();
        let (code, parcel) = (queued(Category::Otp), queued(Category::Logistics));
        let priorities: Vec<_> = (0..601).map(|_| urgency.priority(&code, NOW)).collect();

        assert!(priorities[..600].iter().all(|priority| *priority == Priority::Otp));
        assert_eq!(priorities[600], Priority::Single);
        assert_eq!(urgency.left(code.organization, NOW), 0);
        assert_eq!(urgency.priority(&parcel, NOW), Priority::Single);
        let other = Message { organization: Id::new(NOW), ..code };
        assert_eq!(
            urgency.priority(&other, NOW),
            Priority::Otp,
            "another organization has its own"
        );
    }
}
