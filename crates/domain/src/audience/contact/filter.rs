//! Filters of lists of contacts.

use super::MAX_TAG;
use crate::{
    audience::segment::Segment,
    shared::{fault::Faults, id::Id, search, text},
};

/// The longest search text, in characters.
const MAX_SEARCH: usize = 200;

/// Filter of a list of contacts. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactFilter {
    /// Text that the name, number or mail address contains, in any case.
    pub search: Option<String>,
    /// Tag that the contact has, in any case.
    pub tag: Option<String>,
    /// Segment that the contact belongs to.
    pub segment: Option<Id<Segment>>,
    /// True for contacts with a suppressed number, mail address or device, false for all others;
    /// `None` for both.
    pub suppressed: Option<bool>,
    /// True for contacts with a recorded consent, false for those without; `None` for both.
    pub is_consented: Option<bool>,
}

impl ContactFilter {
    /// Returns every fault of the filter.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(text) = &self.search {
            faults.take("search", text::optional_line(text, MAX_SEARCH));
        }
        if let Some(tag) = &self.tag {
            faults.take("tag", text::line(tag, MAX_TAG));
        }
        faults
    }

    /// True if every contact passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the filter with its texts in their stored form.
    #[must_use]
    pub fn sought(&self) -> Self {
        Self {
            search: self.search.as_deref().map(search::sought),
            tag: self.tag.as_deref().map(|tag| text::fold(tag.trim())),
            ..self.clone()
        }
    }
}
