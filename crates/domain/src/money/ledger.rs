//! The ledger: every movement of money with both of its sides, chained by hashes.
//!
//! ```
//! use domain::money::ledger::Link;
//!
//! assert_eq!(Link::origin().sequence, 0);
//! ```

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
    /// Identifier of the movement and of its entry; `None` for message debits that are not posted yet.
    pub id: Option<Id<Credit>>,
    /// Reason for the movement.
    pub kind: LedgerKind,
    /// Change of the balance.
    pub amount: Money,
    /// Number of messages that it covers.
    pub messages: i32,
    /// Reference of the payment.
    pub reference: Option<String>,
    /// Time of the movement; for messages, that of the last one.
    pub created_at: DateTime<Utc>,
    /// Position in the chain; `None` until it is posted.
    pub link: Option<Link>,
}

/// A position in the chain of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Number of the entry, from 1.
    pub sequence: i64,
    /// Hash over the entry and the hash before it.
    pub hash: Vec<u8>,
}

impl Link {
    /// Returns the position before the first entry of every chain.
    pub fn origin() -> Self {
        Self { sequence: 0, hash: vec![0; 32] }
    }
}

/// An entry as stored. It may have been tampered with, so no field is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Organization whose wallet moved.
    pub organization: Id<Organization>,
    /// Identifier of the entry.
    pub id: Uuid,
    /// The name of a [`LedgerKind`].
    pub kind: String,
    /// The name of a [`ContraAccount`](crate::money::wallet::ContraAccount).
    pub contra_account: String,
    /// Change of the balance; the contra account changed by the opposite amount.
    pub amount: Money,
    /// Number of messages that it covers.
    pub messages: i32,
    /// Reference of the payment.
    pub reference: Option<String>,
    /// Time of the movement.
    pub created_at: DateTime<Utc>,
    /// Position in the chain.
    pub link: Link,
}

impl Entry {
    /// Returns the expected hash of the entry after one with the hash `previous`: SHA-256 over that
    /// hash and all fields of the entry, line by line. The reference comes last because it may
    /// contain line breaks.
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

    /// True if the contra account is that of its kind.
    pub fn has_sides_of_its_kind(&self) -> bool {
        let kind: Result<LedgerKind, _> = self.kind.parse();
        kind.is_ok_and(|kind| kind.contra_account().as_str() == self.contra_account)
    }
}
