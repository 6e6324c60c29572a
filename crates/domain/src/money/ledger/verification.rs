//! Whether the books are in order.

use std::fmt;

use thiserror::Error;

use super::{Entry, Link};
use crate::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};

/// What is known of an organization's money beside its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Whose.
    pub organization: Id<Organization>,
    /// What it has, if there is a wallet.
    pub balance: Option<Money>,
    /// What moved and is not entered yet.
    pub unentered: Money,
    /// Where its chain ends, if it was ever begun.
    pub head: Option<Link>,
}

/// What is wrong with the books of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// A number has no entry.
    #[error("entry {0} is missing")]
    Missing(i64),
    /// A number has two entries, or one that no chain has.
    #[error("entry {0} is out of order")]
    OutOfOrder(i64),
    /// An entry, or one before it, was changed.
    #[error("entry {0} does not match its hash")]
    WrongHash(i64),
    /// The sides of an entry are not those of its kind.
    #[error("entry {sequence} has {kind} against {contra_account}")]
    WrongSides {
        /// Which entry.
        sequence: i64,
        /// Why money moved.
        kind: String,
        /// The other side.
        contra_account: String,
    },
    /// The chain does not end where it should.
    #[error("entry {0} is not the last one that was entered")]
    WrongEnd(i64),
    /// Money moved without a wallet.
    #[error("it has no wallet")]
    NoWallet,
    /// There is less than nothing.
    #[error("its wallet holds {0}")]
    BelowZero(Money),
    /// The balance is not the sum of the ledger.
    #[error("its wallet holds {balance}, and its ledger comes to {ledger}")]
    WrongBalance {
        /// What the wallet holds.
        balance: Money,
        /// What the ledger comes to.
        ledger: Money,
    },
}

/// The entries of one organization, followed one after the other.
#[derive(Debug)]
pub struct Chain {
    /// The last one that was followed.
    end: Link,
    total: Money,
    /// What was met first.
    fault: Option<Fault>,
}

impl Default for Chain {
    fn default() -> Self {
        Self { end: Link::origin(), total: Money::ZERO, fault: None }
    }
}

impl Chain {
    /// Goes on to the next entry. What comes after a fault is added up only.
    pub fn follow(&mut self, entry: &Entry) {
        self.total += entry.amount;
        if self.fault.is_none() {
            self.fault = self.fault_of(entry);
        }
        self.end = entry.link.clone();
    }

    fn fault_of(&self, entry: &Entry) -> Option<Fault> {
        let (sequence, expected) = (entry.link.sequence, self.end.sequence + 1);
        if sequence > expected {
            return Some(Fault::Missing(expected));
        }
        if sequence < expected {
            return Some(Fault::OutOfOrder(sequence));
        }
        if !entry.has_sides_of_its_kind() {
            let (kind, contra_account) = (entry.kind.clone(), entry.contra_account.clone());
            return Some(Fault::WrongSides { sequence, kind, contra_account });
        }
        let is_right = entry.hash_after(&self.end.hash) == entry.link.hash;
        (!is_right).then_some(Fault::WrongHash(sequence))
    }

    /// What is wrong with the books, once all entries were followed.
    fn close(self, account: &Account) -> Option<Fault> {
        if self.fault.is_some() {
            return self.fault;
        }
        let head = account.head.clone().unwrap_or_else(Link::origin);
        if head.sequence > self.end.sequence {
            return Some(Fault::Missing(self.end.sequence + 1));
        }
        if head != self.end {
            return Some(Fault::WrongEnd(self.end.sequence));
        }
        let Some(balance) = account.balance else { return Some(Fault::NoWallet) };
        if balance < Money::ZERO {
            return Some(Fault::BelowZero(balance));
        }
        let ledger = self.total + account.unentered;
        (ledger != balance).then_some(Fault::WrongBalance { balance, ledger })
    }
}

/// What was found of all books.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Verification {
    wallets: u64,
    entries: u64,
    total: Money,
    /// How many organizations have a fault, and what is wrong with the first.
    faulty: u64,
    first: Option<(Id<Organization>, Fault)>,
}

impl Verification {
    /// Takes note of an entry.
    pub fn count(&mut self, chain: &mut Chain, entry: &Entry) {
        self.entries += 1;
        chain.follow(entry);
    }

    /// Closes the books of an organization, all of whose entries were followed.
    pub fn close(&mut self, account: &Account, chain: Chain) {
        if let Some(balance) = account.balance {
            self.wallets += 1;
            self.total += balance;
        }
        if let Some(fault) = chain.close(account) {
            self.faulty += 1;
            self.first.get_or_insert((account.organization, fault));
        }
    }

    /// Whether nothing is wrong.
    pub fn is_in_order(&self) -> bool {
        self.first.is_none()
    }
}

impl fmt::Display for Verification {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wallets, entries, total, faulty, first } = self;
        let Some((organization, fault)) = first else {
            return write!(
                f,
                "the ledger is in order: {wallets} wallets, {entries} entries, {total}"
            );
        };
        write!(f, "the ledger is not in order: organization {organization}: {fault}")?;
        match faulty - 1 {
            0 => Ok(()),
            1 => write!(f, "; and 1 other organization"),
            others => write!(f, "; and {others} other organizations"),
        }
    }
}

#[cfg(test)]
mod tests;
