//! Search for contacts without reading all of them.
//!
//! Frequent texts are found among the newest contacts; rare ones by the index on trigrams. Texts
//! without trigrams are searched among the newest only.

use domain::{
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND, text},
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

/// Number of the newest contacts read first, and number read if the first look is promising, or if
/// there is no other way.
pub(super) const FIRST_LOOK: i64 = 5_000;
pub(super) const LONG_LOOK: i64 = 100_000;
/// Minimum number of matches in the first look for a long one to find [`MOST_FOUND`].
const PROMISING: usize = 50;

impl PgSession {
    /// Returns the contacts whose texts contain `text`.
    pub(super) async fn search_contacts(
        &mut self,
        organization: Id<Organization>,
        text: &str,
    ) -> Result<Found, StoreError> {
        let text = text::fold(text);
        let pattern = search::pattern(&text);
        let contacts = self.count_contacts(organization).await?;

        let mut newest = self.newest_contacts_like(organization, &pattern, FIRST_LOOK).await?;
        if newest.len() > MOST_FOUND || contacts <= FIRST_LOOK {
            return Ok(Found::of(newest, true));
        }
        let is_indexed = self.is_indexed(&text).await?;
        let has_looked_long = !is_indexed || newest.len() >= PROMISING;
        if has_looked_long {
            newest = self.newest_contacts_like(organization, &pattern, LONG_LOOK).await?;
            if newest.len() > MOST_FOUND || contacts <= LONG_LOOK {
                return Ok(Found::of(newest, true));
            }
        }
        if !is_indexed {
            return Ok(Found::of(newest, false));
        }
        let mut indexed = self.contacts_like(organization, &pattern).await?;
        let are_all = indexed.len() <= MOST_INDEXED;
        // There are many, and few of them are new.
        if !are_all && !has_looked_long {
            newest = self.newest_contacts_like(organization, &pattern, LONG_LOOK).await?;
        }
        indexed.extend(newest);
        Ok(Found::of(indexed, are_all))
    }

    pub(super) async fn count_contacts(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<i64, StoreError> {
        let count = sql!(
            "SELECT coalesce((SELECT contacts FROM contact_counts \
                WHERE organization_id = {organization}), 0)",
            organization,
        );
        count.only(self.conn()).await
    }

    /// True if the index on trigrams can find a text. The database's locale decides which
    /// characters are letters.
    pub(super) async fn is_indexed(&mut self, text: &str) -> Result<bool, StoreError> {
        let Some(letters) = three_letters(text) else { return Ok(false) };
        if letters.is_ascii() {
            return Ok(true);
        }
        // A word of three letters has four trigrams, with the spaces around it. Other characters
        // are left out.
        let has_trigrams = sql!("SELECT cardinality(show_trgm({letters})) = 4", letters);
        has_trigrams.only(self.conn()).await
    }

    async fn newest_contacts_like(
        &mut self,
        organization: Id<Organization>,
        pattern: &str,
        looked_at: i64,
    ) -> Result<Vec<Uuid>, StoreError> {
        let newest = sql!(
            "SELECT newest_contacts_like({organization}, {pattern}, {looked_at}, {most})",
            organization,
            pattern,
            looked_at,
            most = one_more(MOST_FOUND),
        );
        newest.values(self.conn()).await
    }

    pub(super) async fn contacts_like(
        &mut self,
        organization: Id<Organization>,
        pattern: &str,
    ) -> Result<Vec<Uuid>, StoreError> {
        let like = sql!(
            "SELECT contacts_like({organization}, {pattern}, {most})",
            organization,
            pattern,
            most = one_more(MOST_INDEXED),
        );
        like.values(self.conn()).await
    }
}

/// Returns three consecutive letters or digits, preferably of ASCII; `None` if there are none.
fn three_letters(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut words = characters.windows(3).filter(|three| three.iter().all(|c| c.is_alphanumeric()));
    let first = words.next()?;
    let ascii = words.find(|three| three.iter().all(char::is_ascii));
    let is_ascii = first.iter().all(char::is_ascii);
    Some(if is_ascii { first } else { ascii.unwrap_or(first) }.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_or_digits_in_a_row_are_found() {
        assert_eq!(three_letters("a ma_mens").as_deref(), Some("men"));
        assert_eq!(three_letters("ɛdɔ kofi").as_deref(), Some("kof"));
        assert_eq!(three_letters("ɛdɔ").as_deref(), Some("ɛdɔ"));
        assert_eq!(three_letters("+23"), None);
        assert_eq!(three_letters("a@b.c"), None);
    }
}
