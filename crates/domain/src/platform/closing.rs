//! Closings of organizations, and what is left to do for each.
//!
//! ```
//! use chrono::{DateTime, TimeDelta};
//! use domain::{platform::closing::Closing, shared::id::Id};
//!
//! let at = DateTime::UNIX_EPOCH;
//! let (organization, closed_by) = (Id::new(at), Id::new(at));
//! let closing = Closing { organization, closed_by, forfeits: false, at };
//! assert!(!closing.is_settled(at) && closing.is_settled(at + TimeDelta::days(30)));
//! ```

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    identity::{organization::Organization, user::User},
    platform::wallet_correction::WalletCorrection,
    shared::{id::Id, money::Money},
};

/// Reason by which the ledger shows money that its owners gave up.
pub const FORFEITED: &str = "forfeited";

/// Time after which no instance accepts anything for the organization any more.
const KNOWN_EVERYWHERE: TimeDelta = TimeDelta::minutes(1);
/// Time within which every message accepted before has its outcome, and is refunded if it failed: three
/// days of validity, and three of waiting for a report.
const OUTCOMES_FINAL: TimeDelta = TimeDelta::days(7);

/// The closing of an organization by an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// Organization that was closed.
    pub organization: Id<Organization>,
    /// Owner who closed it.
    pub closed_by: Id<User>,
    /// True if the owner gave up the money in the wallet.
    pub forfeits: bool,
    /// Time of the closing.
    pub at: DateTime<Utc>,
}

impl Closing {
    /// True if every instance knows of the closing.
    pub fn is_known_everywhere(&self, now: DateTime<Utc>) -> bool {
        now >= self.at + KNOWN_EVERYWHERE
    }

    /// True if no refund can follow any more.
    pub fn is_settled(&self, now: DateTime<Utc>) -> bool {
        now >= self.at + OUTCOMES_FINAL
    }

    /// Returns the correction that takes a given-up balance out of the wallet.
    pub fn forfeiture(&self, balance: Money, now: DateTime<Utc>) -> WalletCorrection {
        WalletCorrection {
            id: Id::new_in(now, self.organization),
            organization: self.organization,
            amount: -balance,
            reason: FORFEITED.to_owned(),
            made_by: self.closed_by,
            at: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::organization::PLATFORM;

    #[test]
    fn a_closing_is_settled_when_each_earlier_message_has_its_outcome() {
        let at = DateTime::UNIX_EPOCH;
        let closing =
            Closing { organization: PLATFORM, closed_by: Id::new(at), forfeits: true, at };

        assert!(!closing.is_known_everywhere(at + TimeDelta::seconds(59)));
        assert!(closing.is_known_everywhere(at + TimeDelta::minutes(1)));
        assert!(!closing.is_settled(at + TimeDelta::days(6)));
        assert!(closing.is_settled(at + TimeDelta::days(7)));
    }
}
