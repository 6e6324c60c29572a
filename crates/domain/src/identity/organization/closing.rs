//! Closing of organizations by their owners.

use chrono::{DateTime, TimeDelta, Utc};

use super::Settings;

/// Time for which a closed organization can be restored.
pub const RESTORABLE: TimeDelta = TimeDelta::days(30);

impl Settings {
    /// True if the organization was closed so long ago that it cannot be restored at `now`.
    pub fn is_closed_for_good(&self, now: DateTime<Utc>) -> bool {
        self.closed_at.is_some_and(|at| now >= at + RESTORABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_organization_can_be_restored_for_thirty_days() {
        let closed_at = DateTime::UNIX_EPOCH;
        let settings = Settings { closed_at: Some(closed_at), ..Settings::default() };
        let last_moment = closed_at + RESTORABLE - TimeDelta::seconds(1);

        assert!(!settings.is_closed_for_good(last_moment));
        assert!(settings.is_closed_for_good(closed_at + RESTORABLE));
        assert!(!Settings::default().is_closed_for_good(closed_at + RESTORABLE));
    }
}
