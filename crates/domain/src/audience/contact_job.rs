//! Jobs that delete or tag many contacts.

mod request;
mod tag_change;

use std::str::FromStr;

use chrono::{DateTime, Utc};
use thiserror::Error;

pub use self::{
    request::{MAX_IDS, SelectionRequest},
    tag_change::{TagChange, TagChangeRequest},
};
use crate::{
    audience::{
        contact::{Contact, ContactFilter},
        segment::Segment,
    },
    identity::{organization::Organization, user::User},
    shared::id::Id,
};

/// Maximum number of contacts in the preview of a selection.
pub const SAMPLE: u32 = 5;

/// Selection of contacts. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactSelection {
    /// Filter, with its texts in their stored form.
    pub filter: ContactFilter,
    /// Segment that the filter names.
    pub segment: Option<Segment>,
    /// Contacts among which they are; `None` for all contacts.
    pub ids: Option<Vec<Id<Contact>>>,
}

/// Number of selected contacts, and some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedContacts {
    /// Number of contacts.
    pub count: u64,
    /// The newest of them, at most [`SAMPLE`].
    pub sample: Vec<Contact>,
}

/// Job that works on the contacts that were selected when it was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactJob {
    /// Identifier.
    pub id: Id<ContactJob>,
    /// Organization that owns the contacts.
    pub organization: Id<Organization>,
    /// Work on each contact.
    pub task: ContactTask,
    /// State of the work.
    pub status: ContactJobStatus,
    /// Number of contacts that were selected.
    pub count: u64,
    /// Number of contacts so far that were worked on.
    pub done: u64,
    /// User who requested it.
    pub created_by: Id<User>,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Time of its end.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Work of a job on each contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactTask {
    /// Deletes the contact and erases the person.
    Delete,
    /// Changes its tags.
    Tag(TagChange),
}

/// Kind of a [`ContactTask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactJobKind {
    /// Contacts are deleted.
    Delete,
    /// Tags are changed.
    Tag,
}

/// State of a [`ContactJob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactJobStatus {
    /// It has not begun.
    Queued,
    /// It has begun.
    Running,
    /// All contacts were worked on.
    Completed,
    /// It was given up after many attempts. What was done stays so.
    Failed,
}

/// The text names no state or kind of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("is not known")]
pub struct UnknownContactJobName;

impl ContactTask {
    /// Kind of the work.
    pub const fn kind(&self) -> ContactJobKind {
        match self {
            Self::Delete => ContactJobKind::Delete,
            Self::Tag(_) => ContactJobKind::Tag,
        }
    }
}

impl ContactJobKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Delete, Self::Tag];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Tag => "TAG",
        }
    }
}

impl FromStr for ContactJobKind {
    type Err = UnknownContactJobName;

    fn from_str(text: &str) -> Result<Self, UnknownContactJobName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownContactJobName)
    }
}

impl ContactJobStatus {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Running, Self::Completed, Self::Failed];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }
}

impl FromStr for ContactJobStatus {
    type Err = UnknownContactJobName;

    fn from_str(text: &str) -> Result<Self, UnknownContactJobName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownContactJobName)
    }
}
