//! Entries of the list, as its pages show them.

use domain::audience::suppression::Suppression;

use super::LIST;
use crate::formats::{Formats, Moment};
use crate::words::{InWords, Words, suppression_scope};

pub(super) struct Entry {
    /// Address of the page that lifts it.
    pub(super) lift: String,
    pub(super) addresses: Vec<String>,
    /// Channel and category to which it applies.
    pub(super) scope: String,
    pub(super) source: Words,
    /// Reason that the organization noted.
    pub(super) reason: Option<String>,
    pub(super) since: Moment,
}

impl Entry {
    pub(super) fn new(entry: &Suppression, f: &Formats) -> Self {
        let addresses = [&entry.phone, &entry.email].into_iter().flatten();
        Self {
            lift: format!("{LIST}/{}/delete", entry.id),
            addresses: addresses.map(|address| f.phone(address.as_str())).collect(),
            scope: suppression_scope(entry),
            source: entry.source.words(),
            reason: entry.reason.clone(),
            since: f.time(entry.created_at),
        }
    }
}
