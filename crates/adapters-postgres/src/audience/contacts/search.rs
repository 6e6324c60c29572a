//! Search for contacts without reading all of them.
//!
//! Frequent texts are found among the newest contacts; rare ones by the index on trigrams. Texts
//! without trigrams are searched among the newest only.

use diesel::sql_types::{BigInt, Bool, Text, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND, text},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{
        run_query::RunQueryDsl,
        search::{self, Found, MOST_INDEXED, one_more},
        statement::Statement,
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
        let query =
            Statement::<BigInt>::returning(&[COUNT]).bind::<SqlUuid, _>(organization.uuid());
        query.get_result(self.conn()).await.map_err(store_error)
    }

    /// True if the index on trigrams can find a text. The database's locale decides which
    /// characters are letters.
    pub(super) async fn is_indexed(&mut self, text: &str) -> Result<bool, StoreError> {
        let Some(letters) = three_letters(text) else { return Ok(false) };
        if letters.is_ascii() {
            return Ok(true);
        }
        let query = Statement::<Bool>::returning(&[HAS_TRIGRAMS]).bind::<Text, _>(letters);
        query.get_result(self.conn()).await.map_err(store_error)
    }

    async fn newest_contacts_like(
        &mut self,
        organization: Id<Organization>,
        pattern: &str,
        looked_at: i64,
    ) -> Result<Vec<Uuid>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[NEWEST_LIKE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(pattern)
            .bind::<BigInt, _>(looked_at)
            .bind::<BigInt, _>(one_more(MOST_FOUND));
        query.load(self.conn()).await.map_err(store_error)
    }

    pub(super) async fn contacts_like(
        &mut self,
        organization: Id<Organization>,
        pattern: &str,
    ) -> Result<Vec<Uuid>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[LIKE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(pattern)
            .bind::<BigInt, _>(one_more(MOST_INDEXED));
        query.load(self.conn()).await.map_err(store_error)
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

const COUNT: &str =
    "SELECT coalesce((SELECT contacts FROM contact_counts WHERE organization_id = ?), 0)";

/// A word of three letters has four trigrams, with the spaces around it. Other characters are left
/// out.
const HAS_TRIGRAMS: &str = "SELECT cardinality(show_trgm(?)) = 4";

const NEWEST_LIKE: &str = "SELECT newest_contacts_like(?, ?, ?, ?)";

const LIKE: &str = "SELECT contacts_like(?, ?, ?)";

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
