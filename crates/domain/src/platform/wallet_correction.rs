//! Corrections of wallets by platform administrators.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     identity::{actor::RequestId, caller::Administrator},
//!     platform::wallet_correction::{Direction, WalletCorrectionRequest},
//!     shared::{id::Id, money::Money},
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let admin = Administrator { id: Id::new(now), request: RequestId::new("r-1") };
//! let (amount, reason) = (Some(Money::from_cedis(5)), Some("charged twice".to_owned()));
//! let request = WalletCorrectionRequest { amount, reason };
//! let debit = request.correction((Id::new(now), Direction::Debit), &admin, now).unwrap();
//! assert_eq!(debit.amount, Money::from_cedis(-5));
//! ```

use chrono::{DateTime, Utc};

use crate::{
    identity::{caller::Administrator, organization::Organization, user::User},
    money::wallet::{Credit, LedgerKind},
    shared::{fault::Faults, id::Id, money::Money, text},
};

/// Maximum amount of a correction.
const MOST: Money = Money::from_cedis(1_000_000);
/// Maximum length of a reason, in characters.
pub const MAX_REASON: usize = 200;

/// Direction in which a correction moves money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Into the wallet.
    Credit,
    /// Out of the wallet.
    Debit,
}

/// Money that a platform administrator put into a wallet or took out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalletCorrection {
    /// Identifier of the correction and of its ledger entry.
    pub id: Id<Credit>,
    /// Organization whose wallet is corrected.
    pub organization: Id<Organization>,
    /// Change of the balance: below zero for a debit.
    pub amount: Money,
    /// Reason, shown to the organization.
    pub reason: String,
    /// Administrator who made it.
    pub made_by: Id<User>,
    /// Time of the correction.
    pub at: DateTime<Utc>,
}

impl WalletCorrection {
    /// Reason for which the ledger records it.
    pub const KIND: LedgerKind = LedgerKind::Correction;

    /// True if `other` requests the same.
    pub fn is_same_request(&self, other: &Self) -> bool {
        (self.amount, &self.reason) == (other.amount, &other.reason)
    }
}

/// An unchecked request for a correction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalletCorrectionRequest {
    /// Amount, above zero. Required.
    pub amount: Option<Money>,
    /// Reason for it. Required.
    pub reason: Option<String>,
}

impl WalletCorrectionRequest {
    /// Returns the correction. Fails with everything that is wrong.
    pub fn correction(
        &self,
        (organization, direction): (Id<Organization>, Direction),
        admin: &Administrator,
        now: DateTime<Utc>,
    ) -> Result<WalletCorrection, Faults> {
        let mut faults = Faults::default();
        let amount = faults.take("amount", checked_amount(self.amount));
        let reason = self.reason.as_deref().ok_or_else(|| "is required".to_owned());
        let reason = reason.and_then(|reason| text::line(reason, MAX_REASON));
        let reason = faults.take("reason", reason);
        let (amount, reason) = faults.require(amount.zip(reason))?;
        Ok(WalletCorrection {
            id: Id::new_in(now, organization),
            organization,
            amount: match direction {
                Direction::Credit => amount,
                Direction::Debit => -amount,
            },
            reason,
            made_by: admin.id,
            at: now,
        })
    }
}

fn checked_amount(amount: Option<Money>) -> Result<Money, &'static str> {
    let amount = amount.ok_or("is required")?;
    if amount <= Money::ZERO || amount > MOST {
        return Err("must be above 0 and at most 1000000");
    }
    Ok(amount)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::identity::{actor::RequestId, organization::PLATFORM};

    fn correction(
        micros: i64,
        reason: &str,
        direction: Direction,
    ) -> Result<WalletCorrection, Faults> {
        let request = WalletCorrectionRequest {
            amount: Some(Money::from_micros(micros)),
            reason: Some(reason.to_owned()),
        };
        let admin = Administrator {
            id: Id::new(DateTime::UNIX_EPOCH),
            request: RequestId::new("request-1"),
        };
        request.correction((PLATFORM, direction), &admin, DateTime::UNIX_EPOCH)
    }

    proptest! {
        #[test]
        fn a_debit_takes_as_much_as_a_credit_gives(micros in 1..=MOST.micros()) {
            let credit = correction(micros, "dispute 4711", Direction::Credit).unwrap();
            let debit = correction(micros, "dispute 4711", Direction::Debit).unwrap();
            prop_assert_eq!(credit.amount, Money::from_micros(micros));
            prop_assert_eq!(credit.amount + debit.amount, Money::ZERO);
            prop_assert!(!credit.is_same_request(&debit) && credit.is_same_request(&credit));
        }
    }

    #[test]
    fn reports_each_field_that_is_wrong() {
        for micros in [0, -1, MOST.micros() + 1] {
            let faults = correction(micros, " ", Direction::Debit).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["amount", "reason"]);
        }
        let long = "a".repeat(MAX_REASON + 1);
        let faults = correction(1, &long, Direction::Credit).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["reason"]);
    }
}
