//! Filters of lists of templates.

use super::{TemplateChannel, TemplateStatus};
use crate::shared::{category::Category, fault::Faults, text};

/// Maximum length of a search text, in characters.
const MAX_SEARCH: usize = 100;

/// Filter of a list of templates. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    /// Text contained in the names, regardless of case.
    pub search: Option<String>,
    /// Status of the current version.
    pub status: Option<TemplateStatus>,
    /// Channel of the template.
    pub channel: Option<TemplateChannel>,
    /// Category of its messages.
    pub category: Option<Category>,
}

impl TemplateFilter {
    /// Returns the checked filter. Fails if the search text is invalid.
    pub fn checked(self) -> Result<Self, Faults> {
        let search = self.search.as_deref().map(|search| text::line(search, MAX_SEARCH));
        match search.transpose() {
            Ok(search) => Ok(Self { search, ..self }),
            Err(fault) => Err(Faults::field("search", fault)),
        }
    }

    /// True if every template passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_is_one_short_line() {
        let filter = |search: &str| {
            let search = Some(search.to_owned());
            TemplateFilter { search, ..TemplateFilter::default() }.checked()
        };
        assert_eq!(filter(" Order ").unwrap().search.as_deref(), Some("Order"));
        assert!(filter(" ").is_err() && filter("a\nb").is_err());
        assert!(filter(&"a".repeat(MAX_SEARCH + 1)).is_err());
        assert_eq!(TemplateFilter::default().checked(), Ok(TemplateFilter::default()));
    }
}
