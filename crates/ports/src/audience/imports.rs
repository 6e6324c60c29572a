//! Imports: uploaded files and the processing of their rows.
//!
//! ```
//! use ports::{audience::imports::UndoQueue, shared::store::StoreError};
//!
//! async fn undo_once(queue: &dyn UndoQueue) -> Result<bool, StoreError> {
//!     let Some(leased) = queue.claim_undo().await? else { return Ok(false) };
//!     queue.undo_part(&leased).await?;
//!     Ok(true)
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    audience::{
        contact::Consent,
        import::{
            Chunk, ContactRow, Import, ImportKind, Layout, Received, Row, RowError, SuppressionPlan,
        },
    },
    identity::organization::Organization,
    messaging::job::Lease,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores imports and their files, as organizations see them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImportRepository: Send + Sync {
    /// Reserves an import for a file that is about to be uploaded. It is hidden until the upload is
    /// complete. Returns false if `most` imports of its kind wait already.
    async fn begin(&self, import: &Import, most: usize) -> Result<bool, StoreError>;

    /// Stores a part of the file.
    async fn add_chunk(&self, import: &Import, chunk: &Chunk) -> Result<(), StoreError>;

    /// Completes the upload: stores the last part of the file and queues the import for processing. If only
    /// unknown bytes are wanted, known ones are refused, and nothing is changed.
    async fn submit(
        &self,
        import: &Import,
        received: &Received,
        file: FileIdentity,
    ) -> Result<Submitted, StoreError>;

    /// Deletes an import whose upload was not completed, or a held file.
    async fn abandon(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
    ) -> Result<(), StoreError>;

    /// Finds a file that is held under the identifier of an import: one whose upload was begun, and whose
    /// chunks are its bytes, with [no rows](HELD_ROW).
    async fn held(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Option<HeldFile>, StoreError>;

    /// Returns the bytes of a chunk of a held file, from 0; `None` if there is no such chunk.
    async fn held_chunk(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        number: u32,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns a page of the imports of a kind, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        page: Page,
    ) -> Result<Paged<Import>, StoreError>;

    /// Finds an import of that kind.
    async fn find(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Option<Import>, StoreError>;

    /// Returns the first failed rows after the row number `after`, in their order.
    async fn errors(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        after: u32,
        limit: usize,
    ) -> Result<Vec<RowError>, StoreError>;

    /// Queues the undo of an import of contacts that is finished, and adds `entry` to the audit log, both or
    /// neither. Returns false if the import is not finished, or an undo was requested before.
    async fn begin_undo(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Number of the first row of the chunks of a held file, which no row has.
pub const HELD_ROW: u32 = 0;

/// File that is held until its columns are understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFile {
    /// Name of the file; `None` if it had none.
    pub name: Option<String>,
    /// Number of its chunks.
    pub chunks: u32,
}

/// Identity of an uploaded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    /// SHA-256 of its bytes.
    pub hash: [u8; 32],
    /// True if bytes of the last day are to be refused.
    pub is_once: bool,
}

/// Result of completing an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// The import as it is now.
    Done(Box<Import>),
    /// The same bytes were imported before, by this import.
    Known(Id<Import>),
}

/// A leased part of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedChunk {
    /// Import that the part belongs to.
    pub import: Id<Import>,
    /// Organization that owns the import.
    pub organization: Id<Organization>,
    /// Kind of the rows.
    pub kind: ImportKind,
    /// Layout of the file.
    pub layout: Layout,
    /// First part that is not processed.
    pub chunk: Chunk,
    /// Part after it, if there is one, which may be read meanwhile.
    pub next: Option<Chunk>,
    /// Consent of all contacts of the file, if the upload states one.
    pub consent: Option<Consent>,
    /// Number of failed attempts to process this part.
    pub failures: u32,
    /// Proof of the lease.
    pub lease: Lease,
}

/// Queue of the parts of imports that are to be processed.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImportQueue: Send + Sync {
    /// Leases the part that has waited longest. Per organization and kind, only the first import is worked
    /// on.
    async fn claim(&self) -> Result<Option<LeasedChunk>, StoreError>;

    /// Writes the result of the rows and marks the part as processed, all or nothing. Fails with
    /// [`StoreError::Conflict`] if another transaction wrote at the same time. Does nothing if the lease is
    /// lost.
    async fn write_contacts(
        &self,
        chunk: &LeasedChunk,
        rows: &[Row<ContactRow>],
    ) -> Result<(), StoreError>;

    /// Does the same for suppressions.
    async fn write_suppressions(
        &self,
        chunk: &LeasedChunk,
        plan: &SuppressionPlan,
    ) -> Result<(), StoreError>;

    /// Schedules the part for another attempt after `delay`.
    async fn put_off(&self, chunk: &LeasedChunk, delay: TimeDelta) -> Result<(), StoreError>;

    /// Ends the import: all rows that are not processed fail for that reason.
    async fn fail(&self, chunk: &LeasedChunk, reason: &str) -> Result<(), StoreError>;
}

/// A leased undo of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeasedUndo {
    /// Import to undo.
    pub import: Id<Import>,
    /// Organization that owns the import.
    pub organization: Id<Organization>,
    /// Number of failed attempts at the next part.
    pub failures: u32,
    /// Proof of the lease.
    pub lease: Lease,
}

/// Queue of the imports that are to be undone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UndoQueue: Send + Sync {
    /// Leases the undo that has waited longest.
    async fn claim_undo(&self) -> Result<Option<LeasedUndo>, StoreError>;

    /// Deletes the contacts that the next part of the file created and that nobody touched since, counts
    /// them, and ends the undo after the last part, all or nothing. The undo has failed if the record of
    /// other parts was deleted before. Does nothing if the lease is lost.
    async fn undo_part(&self, undo: &LeasedUndo) -> Result<(), StoreError>;

    /// Schedules the part for another attempt after `delay`.
    async fn put_off_undo(&self, undo: &LeasedUndo, delay: TimeDelta) -> Result<(), StoreError>;
}
