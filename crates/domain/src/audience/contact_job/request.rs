//! Requests that select the contacts of a job.

use std::collections::BTreeSet;

use super::ContactSelection;
use crate::{
    audience::contact::{Contact, ContactFilter},
    shared::{fault::Faults, id::Id},
};

/// Maximum number of identifiers that a selection names.
pub const MAX_IDS: usize = 1_000;

/// Path of the filter in a request.
const FILTER: &str = "filter";

/// Selection of contacts as it came in, unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectionRequest {
    /// Filter for the contacts.
    pub filter: ContactFilter,
    /// Contacts among which they are.
    pub ids: Option<Vec<Id<Contact>>>,
    /// True to select all contacts: an empty filter alone does not.
    pub all: bool,
}

impl SelectionRequest {
    /// Returns the selection, without the segment that it names. Fails with every fault, under the
    /// path of the filter.
    pub fn selection(&self) -> Result<ContactSelection, Faults> {
        let mut faults = Faults::default();
        let is_unfiltered = self.filter.is_empty() && self.ids.is_none();
        if is_unfiltered && !self.all {
            faults.add(FILTER, "must have a condition; with `all` true all contacts are selected");
        }
        if !is_unfiltered && self.all {
            faults.add("all", "must not be true beside a filter");
        }
        faults.merge(FILTER, self.filter.faults());
        // As a search in a list it would find everybody.
        if self.filter.search.as_deref().is_some_and(|text| text.trim().is_empty()) {
            faults.add(format!("{FILTER}.search"), "must not be empty");
        }
        let path = format!("{FILTER}.ids");
        match self.ids.as_ref().map(Vec::len) {
            Some(0) => faults.add(path, "must not be empty"),
            Some(named) if named > MAX_IDS => {
                faults.add(path, format!("must be at most {MAX_IDS}"));
            }
            _ => {}
        }
        let distinct = self.ids.as_ref().map(|ids| ids.iter().copied().collect::<BTreeSet<_>>());
        faults.or(ContactSelection {
            filter: self.filter.sought(),
            segment: None,
            ids: distinct.map(|ids| ids.into_iter().collect()),
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::identity::organization::PLATFORM;

    fn ids(count: usize) -> Vec<Id<Contact>> {
        (0..count).map(|_| Id::new_in(DateTime::UNIX_EPOCH, PLATFORM)).collect()
    }

    fn faults(request: &SelectionRequest) -> Vec<String> {
        request.selection().unwrap_err().fields.into_keys().collect()
    }

    fn searching(text: &str) -> SelectionRequest {
        let filter = ContactFilter { search: Some(text.into()), ..ContactFilter::default() };
        SelectionRequest { filter, ..SelectionRequest::default() }
    }

    #[test]
    fn all_contacts_are_selected_only_on_purpose() {
        let nothing = SelectionRequest::default();
        let all = SelectionRequest { all: true, ..SelectionRequest::default() };

        assert_eq!(faults(&nothing), ["filter"]);
        assert!(all.selection().unwrap().filter.is_empty());
        assert_eq!(faults(&SelectionRequest { all: true, ..searching("Ama") }), ["all"]);
        assert_eq!(faults(&searching(" ")), ["filter.search"]);
    }

    #[test]
    fn identifiers_are_limited_and_each_counts_once() {
        let naming = |ids| SelectionRequest { ids: Some(ids), ..SelectionRequest::default() };
        let mut twice = ids(2);
        twice.extend(twice.clone());

        assert_eq!(naming(twice).selection().unwrap().ids.unwrap().len(), 2);
        assert!(naming(ids(MAX_IDS)).selection().is_ok());
        assert_eq!(faults(&naming(ids(MAX_IDS + 1))), ["filter.ids"]);
        assert_eq!(faults(&naming(ids(0))), ["filter.ids"]);
    }

    #[test]
    fn texts_are_compared_as_they_are_stored() {
        let mut request = searching("055 100 2995");
        request.filter.tag = Some(" VIP ".into());
        let found = request.selection().unwrap().filter;
        assert_eq!(found.tag.as_deref(), Some("vip"));
        assert_eq!(found.search.as_deref(), Some("551002995"));
    }
}
