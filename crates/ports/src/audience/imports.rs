//! Imports: files that come in, and the rows that are worked off.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    audience::import::{
        Chunk, ContactRow, Import, ImportKind, Layout, Received, Row, RowError, SuppressionPlan,
    },
    identity::organization::Organization,
    messaging::job::Lease,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps imports and their files, as organizations see them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImportRepository: Send + Sync {
    /// Makes room for a file that is about to come in. Nobody sees the import until then. False if
    /// `most` of its kind wait already.
    async fn begin(&self, import: &Import, most: usize) -> Result<bool, StoreError>;

    /// Keeps a part of the file.
    async fn add_chunk(&self, import: &Import, chunk: &Chunk) -> Result<(), StoreError>;

    /// Says that the file has come in, keeps its last part, and lets it be worked off. Returns the
    /// import as it is then.
    async fn submit(&self, import: &Import, received: &Received) -> Result<Import, StoreError>;

    /// Forgets a file that did not come in.
    async fn abandon(&self, import: &Import) -> Result<(), StoreError>;

    /// A page of the imports of a kind, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        page: Page,
    ) -> Result<Paged<Import>, StoreError>;

    /// An import of that kind.
    async fn find(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Option<Import>, StoreError>;

    /// The first rows after that one which failed, in their order.
    async fn errors(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        after: u32,
        limit: usize,
    ) -> Result<Vec<RowError>, StoreError>;
}

/// A part of an import that somebody has leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedChunk {
    /// Which import.
    pub import: Id<Import>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// What the rows are.
    pub kind: ImportKind,
    /// How the file is written.
    pub layout: Layout,
    /// The first part that is not done.
    pub chunk: Chunk,
    /// How often this part was tried in vain.
    pub failures: u32,
    /// Which lease it is.
    pub lease: Lease,
}

/// Hands out the parts of imports that are to be done, and writes what came of them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImportQueue: Send + Sync {
    /// Leases the part that has waited longest. Of the imports of one kind an organization has only
    /// the first is worked on.
    async fn claim(&self) -> Result<Option<LeasedChunk>, StoreError>;

    /// Writes what the rows come to, and that the part is done, all or nothing. A
    /// [`StoreError::Conflict`] says that another wrote at the same time. Does nothing if the lease is
    /// lost.
    async fn write_contacts(
        &self,
        chunk: &LeasedChunk,
        rows: &[Row<ContactRow>],
    ) -> Result<(), StoreError>;

    /// The same of suppressions.
    async fn write_suppressions(
        &self,
        chunk: &LeasedChunk,
        plan: &SuppressionPlan,
    ) -> Result<(), StoreError>;

    /// Has the part tried again after a while.
    async fn put_off(&self, chunk: &LeasedChunk, delay: TimeDelta) -> Result<(), StoreError>;

    /// Ends the import: all rows that are not done have failed, for that reason.
    async fn fail(&self, chunk: &LeasedChunk, reason: &str) -> Result<(), StoreError>;
}
