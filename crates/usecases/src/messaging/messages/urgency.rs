//! How much of what organizations call urgent goes before everybody else's messages.

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

/// Whoever has sent nothing urgent for as long has the full allowance again.
const IDLE: Duration = Duration::from_secs(60);
/// For how many organizations it is known what they sent. Of the others it is forgotten.
const ORGANIZATIONS: u64 = 131_072;

/// The allowances of organizations that have sent urgent messages of late, in this process.
pub(super) struct Urgency(Cache<Id<Organization>, Arc<Mutex<UrgentAllowance>>>);

impl Default for Urgency {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(ORGANIZATIONS).time_to_idle(IDLE).build())
    }
}

impl Urgency {
    /// The priority of a message: its own as long as its organization does not send too many urgent ones.
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

    /// How many urgent messages an organization may still send.
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
    fn codes_beyond_the_allowance_travel_with_ordinary_messages() {
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
