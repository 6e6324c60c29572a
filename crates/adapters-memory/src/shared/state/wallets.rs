//! Wallets and their ledger.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    money::{
        funds::{Allowance, Funds},
        wallet::{Credit, Credited, LedgerKind, Wallet},
    },
    shared::{id::Id, money::Money},
};

/// Reference of a trial credit, which allows only one per wallet.
const TRIAL: &str = "trial";

/// Movement of a wallet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Organization that owns the wallet.
    pub organization: Id<Organization>,
    /// Kind of the movement.
    pub kind: LedgerKind,
    /// Change of the balance.
    pub amount: Money,
    /// Message that was paid for or refunded.
    pub message: Option<Id<Message>>,
    /// Reference of a credit.
    pub reference: Option<String>,
    /// Time of the movement.
    pub at: DateTime<Utc>,
}

/// Wallets of all organizations, and their ledger.
#[derive(Default)]
pub(crate) struct Wallets {
    kept: BTreeMap<Id<Organization>, KeptWallet>,
    entries: Vec<LedgerEntry>,
    /// Past credits: organization, kind and reference.
    credited: BTreeSet<(Id<Organization>, &'static str, String)>,
}

struct KeptWallet {
    balance: Money,
    updated_at: DateTime<Utc>,
    /// Day of the last spending.
    spent_on: Option<NaiveDate>,
    spent: Money,
}

impl Wallets {
    /// Opens a wallet with a trial credit, unless it is open.
    pub(crate) fn open(
        &mut self,
        organization: Id<Organization>,
        credit: Money,
        now: DateTime<Utc>,
    ) {
        if self.kept.contains_key(&organization) {
            return;
        }
        let opened = KeptWallet {
            balance: Money::ZERO,
            updated_at: now,
            spent_on: None,
            spent: Money::ZERO,
        };
        self.kept.insert(organization, opened);
        if credit > Money::ZERO {
            self.add(LedgerEntry {
                organization,
                kind: LedgerKind::TrialCredit,
                amount: credit,
                message: None,
                reference: Some(TRIAL.to_owned()),
                at: now,
            });
        }
    }

    /// Credits a wallet, unless it was credited for the same reference before; `None` if there is no
    /// wallet.
    pub(crate) fn credit(&mut self, credit: &Credit) -> Option<Credited> {
        let organization = credit.organization;
        self.kept.get(&organization)?;
        let is_new = self.add(LedgerEntry {
            organization,
            kind: credit.kind,
            amount: credit.amount,
            message: None,
            reference: Some(credit.reference.clone()),
            at: credit.at,
        });
        Some(Credited { is_new, balance: self.kept.get(&organization)?.balance })
    }

    /// Enters a credit, unless one of its kind for the same reference was entered before.
    fn add(&mut self, entry: LedgerEntry) -> bool {
        let reference = entry.reference.clone().unwrap_or_default();
        let is_new = self.credited.insert((entry.organization, entry.kind.as_str(), reference));
        if is_new {
            self.enter(entry);
        }
        is_new
    }

    pub(crate) fn find(&self, organization: Id<Organization>) -> Option<Wallet> {
        let wallet = self.kept.get(&organization)?;
        Some(Wallet { balance: wallet.balance, updated_at: wallet.updated_at })
    }

    /// Returns the funds at `now` of an organization with that daily limit; `None` without a wallet.
    pub(crate) fn funds(
        &self,
        organization: Id<Organization>,
        daily_limit: Option<Money>,
        now: DateTime<Utc>,
    ) -> Option<Funds> {
        let wallet = self.kept.get(&organization)?;
        let allowance =
            daily_limit.map(|limit| Allowance::at(now, limit, wallet.spent_on, wallet.spent));
        Some(Funds { balance: wallet.balance, allowance })
    }

    /// Pays for a message that is accepted at `now`.
    pub(crate) fn pay(&mut self, message: &Message, now: DateTime<Utc>) {
        if message.cost == Money::ZERO {
            return;
        }
        if let Some(wallet) = self.kept.get_mut(&message.organization) {
            let today = now.date_naive();
            if wallet.spent_on.is_none_or(|day| day < today) {
                (wallet.spent_on, wallet.spent) = (Some(today), Money::ZERO);
            }
            wallet.spent += message.cost;
        }
        self.enter_message(message, LedgerKind::MessageDebit, -message.cost, now);
    }

    /// Refunds the cost of a message.
    pub(crate) fn refund(&mut self, message: &Message, amount: Money, now: DateTime<Utc>) {
        if amount != Money::ZERO {
            self.enter_message(message, LedgerKind::MessageRefund, amount, now);
        }
    }

    fn enter_message(
        &mut self,
        message: &Message,
        kind: LedgerKind,
        amount: Money,
        at: DateTime<Utc>,
    ) {
        let (organization, message) = (message.organization, Some(message.id));
        self.enter(LedgerEntry { organization, kind, amount, message, reference: None, at });
    }

    /// The only place where a balance changes.
    fn enter(&mut self, entry: LedgerEntry) {
        if let Some(wallet) = self.kept.get_mut(&entry.organization) {
            wallet.balance += entry.amount;
            wallet.updated_at = wallet.updated_at.max(entry.at);
        }
        self.entries.push(entry);
    }

    /// Returns the movements of a wallet, oldest first.
    pub(crate) fn entries(
        &self,
        organization: Id<Organization>,
    ) -> impl DoubleEndedIterator<Item = &LedgerEntry> {
        self.entries.iter().filter(move |entry| entry.organization == organization)
    }
}
