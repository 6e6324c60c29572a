//! The ledger.
//!
//! ```
//! use ports::{money::ledger::Books, shared::store::StoreError};
//!
//! async fn accounts(books: &dyn Books) -> Result<usize, StoreError> {
//!     let mut open = books.open().await?;
//!     Ok(open.accounts().await?.len())
//! }
//! ```

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
    /// Returns a page of an organization's movements, newest first: those that are not entered yet, then
    /// the entries from the last one on.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Movement>, StoreError>;
}

/// Opens a snapshot of the ledger.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Books: Send + Sync {
    /// Opens the ledger of all organizations as of now.
    async fn open(&self) -> Result<Box<dyn OpenBooks>, StoreError>;
}

/// Snapshot of the ledger. Later writes do not change it.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OpenBooks: Send {
    /// Returns the accounts of all organizations, in the order of the organizations.
    async fn accounts(&mut self) -> Result<Vec<Account>, StoreError>;

    /// Returns some entries after `last` (organization and entry number), or the first ones, ordered by
    /// organization and number. Empty if there are no more.
    async fn entries_after(
        &mut self,
        last: Option<(Id<Organization>, i64)>,
    ) -> Result<Vec<Entry>, StoreError>;
}
