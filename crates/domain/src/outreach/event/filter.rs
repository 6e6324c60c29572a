//! Filters of lists of events.

use crate::shared::{fault::Faults, text};

/// Maximum length of a search text, in characters.
const MAX_SEARCH: usize = 100;

/// Filter of a list of events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Text contained in their names or slugs, regardless of case.
    pub search: Option<String>,
}

impl EventFilter {
    /// Returns the checked filter. Fails if the search text is invalid.
    pub fn checked(self) -> Result<Self, Faults> {
        let search = self.search.as_deref().map(|search| text::line(search, MAX_SEARCH));
        match search.transpose() {
            Ok(search) => Ok(Self { search }),
            Err(fault) => Err(Faults::field("search", fault)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_is_one_short_line() {
        let filter = |search: &str| EventFilter { search: Some(search.to_owned()) }.checked();
        assert_eq!(filter(" Parcel ").unwrap().search.as_deref(), Some("Parcel"));
        assert!(filter(" ").is_err() && filter("a\nb").is_err());
        assert!(filter(&"a".repeat(MAX_SEARCH + 1)).is_err());
        assert_eq!(EventFilter::default().checked(), Ok(EventFilter::default()));
    }
}
