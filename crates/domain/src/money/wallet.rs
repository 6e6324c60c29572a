//! Wallets and their ledgers.
//!
//! ```
//! use domain::{money::wallet::pay, shared::money::Money};
//!
//! let (one, two) = (Money::from_cedis(1), Money::from_cedis(2));
//! assert_eq!(pay(two, one), Ok(one));
//! assert!(pay(one, two).is_err());
//! ```

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::{
    identity::organization::Organization,
    shared::{
        id::Id,
        money::{CURRENCY, Money},
    },
};

/// The money of an organization. Its balance is the sum of its ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wallet {
    /// Remaining money, never below zero.
    pub balance: Money,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

impl Wallet {
    /// Returns the public fields of a wallet that fell below `threshold`.
    pub fn to_json_below(&self, threshold: Money) -> Value {
        json!({
            "balance": self.balance.to_number(),
            "currency": CURRENCY,
            "lowBalanceThreshold": threshold.to_number(),
            "updatedAt": self.updated_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        })
    }
}

crate::closed_list! {
    /// Reason for which money moved.
    pub enum LedgerKind {
        /// A gift to a new organization.
        TrialCredit = "TRIAL_CREDIT",
        /// Charge for accepted messages.
        MessageDebit = "MESSAGE_DEBIT",
        /// Refund for messages that failed for good.
        MessageRefund = "MESSAGE_REFUND",
        /// A payment through the gateway.
        TopUp = "TOP_UP",
        /// A payment that a platform administrator recorded, such as one of an invoice.
        ManualCredit = "MANUAL_CREDIT",
        /// A correction by an operator.
        Correction = "CORRECTION",
    }
    impl FromStr else "is no kind of movement";
}

impl LedgerKind {
    /// Returns the account on the other side of the movement.
    pub const fn contra_account(self) -> ContraAccount {
        match self {
            Self::TrialCredit => ContraAccount::Trial,
            Self::MessageDebit => ContraAccount::Revenue,
            Self::MessageRefund => ContraAccount::Refunds,
            Self::TopUp => ContraAccount::GatewayClearing,
            Self::ManualCredit => ContraAccount::ManualPayments,
            Self::Correction => ContraAccount::Adjustments,
        }
    }
}

crate::closed_list! {
    /// The account on the other side of a movement: it loses what the wallet gains.
    pub enum ContraAccount {
        /// Money received through the gateway.
        GatewayClearing = "GATEWAY_CLEARING",
        /// Gifts to new organizations.
        Trial = "TRIAL",
        /// Revenue from messages.
        Revenue = "REVENUE",
        /// Refunds for messages that failed.
        Refunds = "REFUNDS",
        /// Payments recorded by platform administrators.
        ManualPayments = "MANUAL_PAYMENTS",
        /// Corrections by operators.
        Adjustments = "ADJUSTMENTS",
    }
}

/// Money credited to a wallet, once for each kind and reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// Identifier of the credit and of its ledger entry.
    pub id: Id<Credit>,
    /// Organization whose wallet is credited.
    pub organization: Id<Organization>,
    /// Reason for the credit.
    pub kind: LedgerKind,
    /// Reference of the payment, unique within its kind.
    pub reference: String,
    /// Amount, above zero.
    pub amount: Money,
    /// Time of the credit.
    pub at: DateTime<Utc>,
}

/// Result of a [`Credit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credited {
    /// True if the money was credited now; false if it had been before.
    pub is_new: bool,
    /// Balance of the wallet.
    pub balance: Money,
}

/// The wallet holds too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the wallet holds {balance}, and {required} is needed")]
pub struct InsufficientBalance {
    /// Amount that is needed.
    pub required: Money,
    /// Balance of the wallet.
    pub balance: Money,
}

/// Returns what is left of `balance` after `cost` is paid.
pub fn pay(balance: Money, cost: Money) -> Result<Money, InsufficientBalance> {
    let left = balance - cost;
    if cost > Money::ZERO && left < Money::ZERO {
        return Err(InsufficientBalance { required: cost, balance });
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_wallet_never_goes_below_zero(
            start in 0..1_000_i64, costs in prop::collection::vec(0..100_i64, 0..50),
        ) {
            let mut balance = Money::from_micros(start);
            let mut paid = Money::ZERO;
            for cost in costs.into_iter().map(Money::from_micros) {
                if let Ok(left) = pay(balance, cost) {
                    balance = left;
                    paid += cost;
                }
                prop_assert!(balance >= Money::ZERO);
            }
            prop_assert_eq!(balance + paid, Money::from_micros(start));
        }
    }

    #[test]
    fn a_cost_of_zero_needs_no_money() {
        assert_eq!(pay(Money::ZERO, Money::ZERO), Ok(Money::ZERO));
    }
}
