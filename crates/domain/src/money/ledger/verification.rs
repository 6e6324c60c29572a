//! Verification of the books.

use std::fmt;

use thiserror::Error;

use super::{Entry, Link};
use crate::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};

/// State of an organization's money outside its ledger entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Organization that the account belongs to.
    pub organization: Id<Organization>,
    /// Balance of the wallet; `None` if there is no wallet.
    pub balance: Option<Money>,
    /// Sum of movements that are not posted yet.
    pub unentered: Money,
    /// Recorded end of its chain; `None` if no entry was ever posted.
    pub head: Option<Link>,
}

/// A fault in the books of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// No entry has this number.
    #[error("entry {0} is missing")]
    Missing(i64),
    /// A number occurs twice or is impossible in a chain.
    #[error("entry {0} is out of order")]
    OutOfOrder(i64),
    /// The entry, or one before it, was changed.
    #[error("entry {0} does not match its hash")]
    WrongHash(i64),
    /// The contra account of an entry is not that of its kind.
    #[error("entry {sequence} has {kind} against {contra_account}")]
    WrongSides {
        /// Number of the entry.
        sequence: i64,
        /// Recorded kind of the movement.
        kind: String,
        /// Recorded contra account.
        contra_account: String,
    },
    /// The chain does not end at its recorded end.
    #[error("entry {0} is not the last one that was entered")]
    WrongEnd(i64),
    /// There are movements but no wallet.
    #[error("it has no wallet")]
    NoWallet,
    /// The balance is below zero.
    #[error("its wallet holds {0}")]
    BelowZero(Money),
    /// The balance is not the sum of the ledger.
    #[error("its wallet holds {balance}, and its ledger comes to {ledger}")]
    WrongBalance {
        /// Balance of the wallet.
        balance: Money,
        /// Sum of the ledger.
        ledger: Money,
    },
}

/// The entries of one organization, followed in order.
#[derive(Debug)]
pub struct Chain {
    /// Position of the last entry followed.
    end: Link,
    total: Money,
    /// First fault found.
    fault: Option<Fault>,
}

impl Default for Chain {
    fn default() -> Self {
        Self { end: Link::origin(), total: Money::ZERO, fault: None }
    }
}

impl Chain {
    /// Follows the next entry. Entries after a fault are only added up.
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

    /// Returns the fault in the books after all entries were followed; `None` if they are in order.
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

/// Result of the verification of all books.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Verification {
    wallets: u64,
    entries: u64,
    total: Money,
    /// Number of organizations with a fault; `first` is the fault of the first one.
    faulty: u64,
    first: Option<(Id<Organization>, Fault)>,
}

impl Verification {
    /// Counts an entry and follows it.
    pub fn count(&mut self, chain: &mut Chain, entry: &Entry) {
        self.entries += 1;
        chain.follow(entry);
    }

    /// Closes the books of an organization after all its entries were followed.
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

    /// True if no fault was found.
    pub fn is_in_order(&self) -> bool {
        self.first.is_none()
    }
}

impl fmt::Display for Verification {
    /// Writes the result as one line.
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
