//! Searches for texts.

use domain::shared::page::MOST_FOUND;
use uuid::Uuid;

/// Maximum number of rows read through an index on trigrams.
pub(crate) const MOST_INDEXED: usize = 20_000;

/// Result of a search.
pub(crate) struct Found {
    /// Identifiers, newest first, at most [`MOST_FOUND`].
    pub(crate) ids: Vec<Uuid>,
    /// True if there may be more.
    pub(crate) is_lower_bound: bool,
}

impl Found {
    /// Takes the newest identifiers that are shown.
    pub(crate) fn of(mut ids: Vec<Uuid>, are_all: bool) -> Self {
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        let is_lower_bound = !are_all || ids.len() > MOST_FOUND;
        ids.truncate(MOST_FOUND);
        Self { ids, is_lower_bound }
    }
}

/// Returns one more than the limit, to detect that there are more.
pub(crate) fn one_more(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)
}

/// Returns the pattern of `ILIKE` for texts that contain `text` literally.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_wildcards_in_a_searched_text() {
        assert_eq!(pattern(r"50%_\"), r"%50\%\_\\%");
    }
}
