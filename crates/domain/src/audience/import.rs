//! Imports: files of contacts or of suppressions that are taken at once and worked off row by row.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};

use crate::{identity::organization::Organization, shared::id::Id};

mod columns;
mod contact_rows;
mod headers;
mod layout;
mod records;
mod row;
mod suppression_rows;
mod typed_phone;
mod upload;

pub use self::{
    contact_rows::{ContactPlan, ContactRow, ContactStep, ContactTable},
    headers::Mapping,
    layout::{Delimiter, Encoding, Layout, UnknownLayout},
    row::{Row, RowError},
    suppression_rows::{SuppressionPlan, SuppressionTable},
    upload::{Chunk, MAX_BYTES, MAX_ROWS, Received, Refused, Upload},
};

/// How many rows that failed are shown with an import. The file of errors has all of them.
pub const SHOWN_ERRORS: usize = 1_000;
/// How many imports of an organization may wait or be under way, of one kind.
pub const MAX_WAITING: usize = 10;

/// A file that is imported, and how far that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Which import this is.
    pub id: Id<Import>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// What the rows are.
    pub kind: ImportKind,
    /// What the file was called.
    pub file_name: Option<String>,
    /// How far it is.
    pub status: ImportStatus,
    /// The number of rows, without the header, blank lines and rows of separators.
    pub total_rows: u32,
    /// How many of them made something new.
    pub created: u32,
    /// How many of them were about what was there.
    pub updated: u32,
    /// How many of them could not be taken.
    pub failed: u32,
    /// The number of rows of contacts that were taken and whose phone is a fixed line.
    pub fixed_lines: u32,
    /// When the file came.
    pub created_at: DateTime<Utc>,
    /// When the last row was done.
    pub completed_at: Option<DateTime<Utc>>,
}

/// What the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// Contacts.
    Contacts,
    /// Entries of a suppression list.
    Suppressions,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportStatus {
    /// The file is there.
    Queued,
    /// Some rows are done.
    Processing,
    /// All rows are done.
    Completed,
    /// The service could not do all of them.
    Failed,
}

/// The text names no kind or status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not known to imports")]
pub struct UnknownName;

impl ImportKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Contacts, Self::Suppressions];

    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contacts => "CONTACTS",
            Self::Suppressions => "SUPPRESSIONS",
        }
    }
}

impl ImportStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Processing, Self::Completed, Self::Failed];

    /// The name on the wire and in the database.
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
