//! Wallets and their ledgers.

use std::str::FromStr;

use chrono::{DateTime, Utc};

use crate::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};

/// What an organization has to spend. Its balance is the sum of its ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wallet {
    /// What is left. Never below zero.
    pub balance: Money,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// Why money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerKind {
    /// A gift to a new organization.
    TrialCredit,
    /// Accepted messages.
    MessageDebit,
    /// Messages that failed for good.
    MessageRefund,
    /// A payment through the gateway.
    TopUp,
    /// A payment that a platform administrator recorded, such as one of an invoice.
    ManualCredit,
    /// What an operator set right by hand.
    Correction,
}

/// There is no such kind of movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no kind of movement")]
pub struct UnknownLedgerKind;

impl LedgerKind {
    /// All of them.
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

    /// The other side of such a movement.
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

/// The account on the other side of a movement: what a wallet gets, it loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContraAccount {
    /// What the gateway took for us.
    GatewayClearing,
    /// Gifts to new organizations.
    Trial,
    /// What was earned by messages.
    Revenue,
    /// What was given back for messages that failed.
    Refunds,
    /// Payments that a platform administrator recorded.
    ManualPayments,
    /// What was set right by hand.
    Adjustments,
}

impl ContraAccount {
    /// All of them.
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

/// Money that comes into a wallet. For one kind and reference it comes once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// Which credit this is, and which entry of the ledger it will be.
    pub id: Id<Credit>,
    /// Whose wallet.
    pub organization: Id<Organization>,
    /// Why.
    pub kind: LedgerKind,
    /// What it was paid for; nothing else of its kind has the same.
    pub reference: String,
    /// How much. Above zero.
    pub amount: Money,
    /// When.
    pub at: DateTime<Utc>,
}

/// What became of a [`Credit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credited {
    /// Whether the money came now; else it had come before.
    pub is_new: bool,
    /// What the wallet holds.
    pub balance: Money,
}

/// There is not enough money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the wallet holds {balance}, and {required} is needed")]
pub struct InsufficientBalance {
    /// What is needed.
    pub required: Money,
    /// What is there.
    pub balance: Money,
}

/// What is left of `balance` once `cost` is paid.
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
    fn what_costs_nothing_needs_no_money() {
        assert_eq!(pay(Money::ZERO, Money::ZERO), Ok(Money::ZERO));
    }
}
