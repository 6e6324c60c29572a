//! Search for entries of a suppression list without reading all of it.
//!
//! Frequent texts are found among the newest entries; rare ones by the index on trigrams. Texts
//! without trigrams are searched among the newest only.

use domain::{
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgSession,
    query::{
        search::{self, Found, MOST_INDEXED, one_more},
        sql::sql,
    },
};

/// Number of the newest entries read.
const LOOK: i64 = 20_000;
/// Number of entries read if there is no other way.
const LONG_LOOK: i64 = 100_000;

impl PgSession {
    /// Returns the entries whose addresses or reasons contain `text`, in a list of `length`.
    pub(super) async fn search_suppressions(
        &mut self,
        organization: Id<Organization>,
        text: &str,
        length: i64,
    ) -> Result<Found, StoreError> {
        let pattern = search::pattern(text);
        let is_indexed = has_trigrams(text);
        let look = if is_indexed { LOOK } else { LONG_LOOK };
        let newest = sql!(
            "SELECT newest_suppressions_like({organization}, {pattern}, {looked_at}, {most})",
            organization,
            pattern = pattern.as_str(),
            looked_at = look,
            most = one_more(MOST_FOUND),
        );
        let mut found: Vec<Uuid> = newest.values(self.conn()).await?;
        if found.len() > MOST_FOUND || length <= look {
            return Ok(Found::of(found, true));
        }
        if !is_indexed {
            return Ok(Found::of(found, false));
        }
        let indexed = sql!(
            "SELECT suppressions_like({organization}, {pattern}, {most})",
            organization,
            pattern,
            most = one_more(MOST_INDEXED),
        );
        let indexed: Vec<Uuid> = indexed.values(self.conn()).await?;
        let are_all = indexed.len() <= MOST_INDEXED;
        found.extend(indexed);
        Ok(Found::of(found, are_all))
    }
}

/// True if the index on trigrams can find a text: it has three letters or digits in a row. The
/// database's locale decides which other characters are letters.
fn has_trigrams(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| three.iter().all(u8::is_ascii_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_or_digits_in_a_row_have_trigrams() {
        assert!(has_trigrams("+233") && has_trigrams("ɛ@ama"));
        assert!(!has_trigrams("+23") && !has_trigrams("a@b.c") && !has_trigrams("ɛdɔ"));
    }
}
