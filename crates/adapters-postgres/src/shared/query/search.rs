//! Texts that somebody looks for.

use domain::shared::page::MOST_FOUND;
use uuid::Uuid;

/// How many rows are read that an index on trigrams finds.
pub(crate) const MOST_INDEXED: usize = 20_000;

/// What was found.
pub(crate) struct Found {
    /// The identifiers, newest first, [`MOST_FOUND`] at the most.
    pub(crate) ids: Vec<Uuid>,
    /// Whether there may be more.
    pub(crate) is_lower_bound: bool,
}

impl Found {
    /// Of some identifiers the newest that are shown.
    pub(crate) fn of(mut ids: Vec<Uuid>, are_all: bool) -> Self {
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        let is_lower_bound = !are_all || ids.len() > MOST_FOUND;
        ids.truncate(MOST_FOUND);
        Self { ids, is_lower_bound }
    }
}

/// One more than is wanted, to know whether there are more.
pub(crate) fn one_more(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)
}

/// The pattern of `ILIKE` for texts that contain `text`, in which nothing has a meaning of its own.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_is_meant_literally() {
        assert_eq!(pattern(r"50%_\"), r"%50\%\_\\%");
    }
}
