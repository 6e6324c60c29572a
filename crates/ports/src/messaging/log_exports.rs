//! Exports of the delivery log that are written in the background.
//!
//! ```
//! use domain::{
//!     identity::{organization::Organization, user::User},
//!     shared::id::Id,
//! };
//! use ports::{messaging::log_exports::LogExportRepository, shared::store::StoreError};
//!
//! async fn count(
//!     exports: &dyn LogExportRepository,
//!     shop: Id<Organization>,
//!     member: Id<User>,
//! ) -> Result<usize, StoreError> {
//!     Ok(exports.list(shop, member).await?.len())
//! }
//! ```

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    identity::{organization::Organization, user::User},
    messaging::{
        delivery_log::LogFilter,
        job::Lease,
        log_export::{LogExport, LogExportFailure, NoRoomForLogExport},
        message::Message,
    },
    shared::id::Id,
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Reason why an export could not be begun.
#[derive(Debug, Error)]
pub enum LogExportError {
    /// A limit leaves no room for it.
    #[error(transparent)]
    NoRoom(NoRoomForLogExport),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores exports as their members see them, and reads their files.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LogExportRepository: Send + Sync {
    /// Adds an export that is to be prepared, unless there is
    /// [no room](domain::messaging::log_export::HeldLogExports::find_room) for it. Simultaneous requests of
    /// an organization are counted one after the other.
    async fn begin(&self, export: &LogExport) -> Result<(), LogExportError>;

    /// Finds an export of a member.
    async fn find(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
        id: Id<LogExport>,
    ) -> Result<Option<LogExport>, StoreError>;

    /// Returns the exports of a member, newest first.
    async fn list(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
    ) -> Result<Vec<LogExport>, StoreError>;

    /// Returns a part of the file of an export, by its place from zero. `None` if it does not exist.
    async fn part(
        &self,
        organization: Id<Organization>,
        id: Id<LogExport>,
        number: u32,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Deletes an export of a member with its file. Returns false if the member has no such export.
    async fn delete(
        &self,
        organization: Id<Organization>,
        member: Id<User>,
        id: Id<LogExport>,
    ) -> Result<bool, StoreError>;
}

/// Leased export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedLogExport {
    /// Organization that owns the log.
    pub organization: Id<Organization>,
    /// Identifier of the export.
    pub id: Id<LogExport>,
    /// Messages that it is about.
    pub filter: LogFilter,
    /// Message after which the next lines begin; `None` at the beginning.
    pub position: Option<Id<Message>>,
    /// Number of parts that are written.
    pub parts: u32,
    /// Size of these parts as they are stored, in bytes.
    pub stored: u64,
    /// Number of failed attempts at the next lines.
    pub failures: u32,
    /// Proof of the lease.
    pub lease: Lease,
}

/// Next lines of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportedLines {
    /// Texts of the next parts of the file, in their order.
    pub parts: Vec<String>,
    /// Number of messages in them.
    pub rows: u64,
    /// Message after which the lines go on; `None` if these are the last ones.
    pub next: Option<Id<Message>>,
}

/// Result of appending lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The lines are written, or the lease is lost.
    Done,
    /// The stored file would be too large. Nothing is written.
    TooLarge,
}

/// Leases exports, and writes their files. If the lease is lost, a call changes nothing.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LogExportQueue: Send + Sync {
    /// Leases the export that has waited longest. A lease expires after a minute.
    async fn claim(&self) -> Result<Option<LeasedLogExport>, StoreError>;

    /// Appends lines to the file, counts them, and releases the export, all or nothing. Completes the file
    /// after the last lines. The stored file takes at most `most` bytes.
    async fn append(
        &self,
        leased: &LeasedLogExport,
        lines: &ExportedLines,
        most: u64,
    ) -> Result<Appended, StoreError>;

    /// Ends the export for that reason, and deletes what is written of its file.
    async fn fail(
        &self,
        leased: &LeasedLogExport,
        failure: LogExportFailure,
    ) -> Result<(), StoreError>;

    /// Releases the export for another attempt at the same lines after `delay`.
    async fn put_off(&self, leased: &LeasedLogExport, delay: TimeDelta) -> Result<(), StoreError>;
}
