//! Wallets and their ledgers.

use std::str::FromStr;

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

/// Reason for which money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerKind {
    /// A gift to a new organization.
    TrialCredit,
    /// Charge for accepted messages.
    MessageDebit,
    /// Refund for messages that failed for good.
    MessageRefund,
    /// A payment through the gateway.
    TopUp,
    /// A payment that a platform administrator recorded, such as one of an invoice.
    ManualCredit,
    /// A correction by an operator.
    Correction,
}

/// The text names no kind of movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no kind of movement")]
pub struct UnknownLedgerKind;

impl LedgerKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::TrialCredit,
        Self::MessageDebit,
        Self::MessageRefund,
        Self::TopUp,
        Self::ManualCredit,
        Self::Correction,
    ];

    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TrialCredit => "TRIAL_CREDIT",
            Self::MessageDebit => "MESSAGE_DEBIT",
            Self::MessageRefund => "MESSAGE_REFUND",
            Self::TopUp => "TOP_UP",
            Self::ManualCredit => "MANUAL_CREDIT",
            Self::Correction => "CORRECTION",
        }
    }

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

impl FromStr for LedgerKind {
    type Err = UnknownLedgerKind;

    fn from_str(name: &str) -> Result<Self, UnknownLedgerKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name).ok_or(UnknownLedgerKind)
    }
}

/// The account on the other side of a movement: it loses what the wallet gains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContraAccount {
    /// Money received through the gateway.
    GatewayClearing,
    /// Gifts to new organizations.
    Trial,
    /// Revenue from messages.
    Revenue,
    /// Refunds for messages that failed.
    Refunds,
    /// Payments recorded by platform administrators.
    ManualPayments,
    /// Corrections by operators.
    Adjustments,
}

impl ContraAccount {
    /// Every account.
    pub const ALL: [Self; 6] = [
        Self::GatewayClearing,
        Self::Trial,
        Self::Revenue,
        Self::Refunds,
        Self::ManualPayments,
        Self::Adjustments,
    ];

    /// The name in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GatewayClearing => "GATEWAY_CLEARING",
            Self::Trial => "TRIAL",
            Self::Revenue => "REVENUE",
            Self::Refunds => "REFUNDS",
            Self::ManualPayments => "MANUAL_PAYMENTS",
            Self::Adjustments => "ADJUSTMENTS",
        }
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
