//! The ledger: every movement of money with both of its sides, chained by hashes.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    identity::organization::Organization,
    money::wallet::{Credit, LedgerKind},
    shared::{id::Id, money::Money},
};

mod verification;

pub use self::verification::{Account, Chain, Fault, Verification};

/// A movement of a wallet, as its organization sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// Its identifier, and that of its entry. What was paid for messages has none until it is posted.
    pub id: Option<Id<Credit>>,
    /// Why money moved.
    pub kind: LedgerKind,
    /// By how much the balance changed.
    pub amount: Money,
    /// For how many messages.
    pub messages: i32,
    /// What it was paid for.
    pub reference: Option<String>,
    /// When; of messages, the last time.
    pub created_at: DateTime<Utc>,
    /// Where it stands in the chain, once it is entered.
    pub link: Option<Link>,
}

/// A place in the chain of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Which entry this is, from 1.
    pub sequence: i64,
    /// The hash over the entry and the one before it.
    pub hash: Vec<u8>,
}

impl Link {
    /// Where every chain begins.
    pub fn origin() -> Self {
        Self { sequence: 0, hash: vec![0; 32] }
    }
}

/// An entry as it is kept. Somebody may have tampered with it, so nothing about it is taken for granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Whose wallet moved.
    pub organization: Id<Organization>,
    /// Its identifier.
    pub id: Uuid,
    /// The name of a [`LedgerKind`].
    pub kind: String,
    /// The name of a [`ContraAccount`](crate::money::wallet::ContraAccount).
    pub contra_account: String,
    /// By how much the balance changed; the other account changed by as much the other way.
    pub amount: Money,
    /// For how many messages.
    pub messages: i32,
    /// What it was paid for.
    pub reference: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Where it stands in the chain.
    pub link: Link,
}

impl Entry {
    /// The hash that it must have after an entry with the hash `previous`: SHA-256 over that and all
    /// that the entry says, line by line. The reference comes last, for it may have lines of its own.
    pub fn hash_after(&self, previous: &[u8]) -> Vec<u8> {
        let text = format!(
            "{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n",
            self.organization,
            self.link.sequence,
            self.id,
            self.kind,
            self.contra_account,
            self.amount.micros(),
            self.messages,
            self.created_at.timestamp_micros(),
        );
        let mut hash = Sha256::new().chain_update(previous).chain_update(text);
        if let Some(reference) = &self.reference {
            hash.update("=");
            hash.update(reference);
        }
        hash.finalize().to_vec()
    }

    /// Whether both sides are on the accounts of its kind.
    pub fn has_sides_of_its_kind(&self) -> bool {
        let kind: Result<LedgerKind, _> = self.kind.parse();
        kind.is_ok_and(|kind| kind.contra_account().as_str() == self.contra_account)
    }
}
