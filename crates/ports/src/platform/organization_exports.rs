//! Export of everything that an organization has.
//!
//! ```
//! use std::io;
//!
//! use domain::platform::organization_export::{ExportedList, ExportedRow};
//! use ports::platform::organization_exports::ExportFiles;
//!
//! /// Counts rows instead of writing them.
//! struct Count(usize);
//!
//! impl ExportFiles for Count {
//!     fn begin(&mut self, _list: ExportedList) -> io::Result<()> {
//!         Ok(())
//!     }
//!
//!     fn write(&mut self, _row: &ExportedRow) -> io::Result<()> {
//!         self.0 += 1;
//!         Ok(())
//!     }
//!
//!     fn end(&mut self) -> io::Result<()> {
//!         Ok(())
//!     }
//! }
//!
//! let mut files = Count(0);
//! assert!(files.begin(ExportedList::Ledger).and_then(|()| files.end()).is_ok());
//! ```

use std::io;

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    platform::organization_export::{ExportedList, ExportedRow},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Opens snapshots of organizations.
#[async_trait]
pub trait OrganizationSnapshots: Send + Sync {
    /// Opens everything that the organization has as of now; `None` if it does not exist.
    async fn open(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<Box<dyn OrganizationSnapshot>>, StoreError>;
}

/// Snapshot of an organization. Later writes do not change it.
#[async_trait]
pub trait OrganizationSnapshot: Send {
    /// Goes to the beginning of a list. The list before must have been read to its end.
    async fn begin(&mut self, list: ExportedList) -> Result<(), StoreError>;

    /// Returns the next rows of the list, in the order of their identifiers. Empty at its end.
    async fn next_rows(&mut self) -> Result<Vec<ExportedRow>, StoreError>;
}

/// Files of an export.
pub trait ExportFiles: Send {
    /// Begins the files of a list.
    fn begin(&mut self, list: ExportedList) -> io::Result<()>;

    /// Appends a row to the files of the list.
    fn write(&mut self, row: &ExportedRow) -> io::Result<()>;

    /// Completes the files of the list.
    fn end(&mut self) -> io::Result<()>;
}
