//! Jobs that delete or tag many contacts.
//!
//! ```
//! use domain::audience::contact_job::{ContactJobKind, ContactTask};
//!
//! assert_eq!(ContactTask::Delete.kind(), ContactJobKind::Delete);
//! ```

mod request;
mod tag_change;

use chrono::{DateTime, Utc};

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

crate::closed_list! {
    /// Kind of a [`ContactTask`].
    pub enum ContactJobKind {
        /// Contacts are deleted.
        Delete = "DELETE",
        /// Tags are changed.
        Tag = "TAG",
    }
    impl FromStr else "is not known";
}

crate::closed_list! {
    /// State of a [`ContactJob`].
    pub enum ContactJobStatus {
        /// It has not begun.
        Queued = "QUEUED",
        /// It has begun.
        Running = "RUNNING",
        /// All contacts were worked on.
        Completed = "COMPLETED",
        /// It was given up after many attempts. What was done stays so.
        Failed = "FAILED",
    }
    impl FromStr else "is not known";
}

impl ContactTask {
    /// Kind of the work.
    pub const fn kind(&self) -> ContactJobKind {
        match self {
            Self::Delete => ContactJobKind::Delete,
            Self::Tag(_) => ContactJobKind::Tag,
        }
    }
}
