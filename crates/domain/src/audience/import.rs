//! Imports: files of contacts or of suppressions that are accepted at once and processed row by row.
//!
//! ```
//! use domain::audience::import::ImportStatus;
//!
//! assert_eq!(ImportStatus::Queued.as_str(), "QUEUED");
//! ```

use chrono::{DateTime, Utc};

use crate::{identity::organization::Organization, shared::id::Id};

mod columns;
mod contact_rows;
mod headers;
mod heading;
mod json;
mod layout;
mod preview;
mod records;
mod row;
mod suppression_rows;
mod typed_phone;
mod undo;
mod upload;

pub use self::{
    contact_rows::{ContactPlan, ContactRow, ContactStep, ContactTable},
    headers::Mapping,
    heading::columns_of,
    layout::{Delimiter, Encoding, Layout},
    preview::{Preview, PreviewColumn, PreviewReader, PreviewRow},
    row::{Row, RowError},
    suppression_rows::{SuppressionPlan, SuppressionTable},
    undo::{NotUndoable, UndoStatus},
    upload::{Chunk, MAX_BYTES, MAX_ROWS, Received, Refused, Upload},
};

/// Maximum number of failed rows shown with an import. The file of errors has all of them.
pub const SHOWN_ERRORS: usize = 1_000;
/// Maximum number of queued and running imports of an organization, for each kind.
pub const MAX_WAITING: usize = 10;

/// Imported file and its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Identifier of the import.
    pub id: Id<Import>,
    /// Organization that owns the import.
    pub organization: Id<Organization>,
    /// Kind of the rows.
    pub kind: ImportKind,
    /// Name of the uploaded file; `None` if it had none.
    pub file_name: Option<String>,
    /// Progress of the import.
    pub status: ImportStatus,
    /// Number of rows, without the header, blank lines and rows of separators.
    pub total_rows: u32,
    /// Number of rows that created something.
    pub created: u32,
    /// Number of rows that concerned something existing.
    pub updated: u32,
    /// Number of rows that were not imported.
    pub failed: u32,
    /// Number of imported contact rows whose phone is a fixed line.
    pub fixed_lines: u32,
    /// Source of the consent that the upload states for all contacts of the file; `None` if it states none.
    pub consent_source: Option<String>,
    /// Import of the same bytes within the day before; `None` if there was none.
    pub same_as: Option<Id<Import>>,
    /// Progress of the undo; `None` if none was requested.
    pub undo_status: Option<UndoStatus>,
    /// Number of contacts that the undo deleted.
    pub undone: u32,
    /// Time at which the undo was completed; `None` before that.
    pub undone_at: Option<DateTime<Utc>>,
    /// Time of the upload.
    pub created_at: DateTime<Utc>,
    /// Time at which the last row was processed; `None` before that.
    pub completed_at: Option<DateTime<Utc>>,
}

crate::closed_list! {
    /// Kind of the rows of a file.
    pub enum ImportKind {
        /// Contacts.
        Contacts = "CONTACTS",
        /// Entries of a suppression list.
        Suppressions = "SUPPRESSIONS",
    }
    impl Display;
    impl FromStr else "is not known to imports";
}

crate::closed_list! {
    /// Progress of an import.
    pub enum ImportStatus {
        /// The file is stored and waits.
        Queued = "QUEUED",
        /// Some rows are processed.
        Processing = "PROCESSING",
        /// All rows are processed.
        Completed = "COMPLETED",
        /// The service could not process all rows.
        Failed = "FAILED",
    }
    impl FromStr else "is not known to imports";
}
