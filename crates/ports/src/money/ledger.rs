//! The ledger.

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    money::ledger::{Account, Entry, Movement},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Reads the movements of wallets.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LedgerRepository: Send + Sync {
    /// A page of an organization's movements, newest first: those that are not entered yet, then the
    /// entries from the last one on.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Movement>, StoreError>;
}

/// Opens the books.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Books: Send + Sync {
    /// The books of all organizations as they are at this moment.
    async fn open(&self) -> Result<Box<dyn OpenBooks>, StoreError>;
}

/// Books that are read. Whatever is written meanwhile, they stay as they were.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OpenBooks: Send {
    /// The accounts of all organizations, in the order of these.
    async fn accounts(&mut self) -> Result<Vec<Account>, StoreError>;

    /// Some entries after the one with that number, or from the first one on: in the order of the
    /// organizations, and of each in the order of numbers. None: there are no more.
    async fn entries_after(
        &mut self,
        last: Option<(Id<Organization>, i64)>,
    ) -> Result<Vec<Entry>, StoreError>;
}
