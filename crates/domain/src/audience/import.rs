//! Imports: files of contacts or of suppressions that are accepted at once and processed row by row.

use std::{fmt, str::FromStr};

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
    layout::{Delimiter, Encoding, Layout, UnknownLayout},
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

/// Kind of the rows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// Contacts.
    Contacts,
    /// Entries of a suppression list.
    Suppressions,
}

/// Progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportStatus {
    /// The file is stored and waits.
    Queued,
    /// Some rows are processed.
    Processing,
    /// All rows are processed.
    Completed,
    /// The service could not process all rows.
    Failed,
}

/// Error for an unknown kind or status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not known to imports")]
pub struct UnknownName;

impl ImportKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Contacts, Self::Suppressions];

    /// Name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contacts => "CONTACTS",
            Self::Suppressions => "SUPPRESSIONS",
        }
    }
}

impl ImportStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Processing, Self::Completed, Self::Failed];

    /// Name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Processing => "PROCESSING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }
}

impl FromStr for ImportKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

impl FromStr for ImportStatus {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

impl fmt::Display for ImportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
