//! Contacts written together, column by column.

use chrono::{DateTime, Utc};
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    audience::contacts::row::NewContactRow,
    shared::{database::connection::Connection, query::sql::sql},
};

/// Columns of contacts of one organization.
#[derive(Default)]
pub(super) struct ContactColumns {
    ids: Vec<Uuid>,
    first_names: Vec<Option<String>>,
    last_names: Vec<Option<String>>,
    phones: Vec<Option<String>>,
    emails: Vec<Option<String>>,
    country_codes: Vec<String>,
    tags: Vec<String>,
    fcm_tokens: Vec<Option<String>>,
    attributes: Vec<Value>,
    created_at: Vec<DateTime<Utc>>,
    first_names_folded: Vec<Option<String>>,
    last_names_folded: Vec<Option<String>>,
    tags_folded: Vec<String>,
    attributes_folded: Vec<Value>,
    search_texts: Vec<String>,
    consents_at: Vec<Option<DateTime<Utc>>>,
    consent_sources: Vec<Option<String>>,
}

impl ContactColumns {
    pub(super) fn of(contacts: &[Contact]) -> Self {
        let mut columns = Self::default();
        for contact in contacts {
            let row = NewContactRow::from(contact);
            columns.ids.push(row.id);
            columns.first_names.push(row.first_name);
            columns.last_names.push(row.last_name);
            columns.phones.push(row.phone);
            columns.emails.push(row.email);
            columns.country_codes.push(row.country_code);
            columns.tags.push(array(&row.tags));
            columns.fcm_tokens.push(row.fcm_token);
            columns.attributes.push(row.attributes);
            columns.created_at.push(row.created_at);
            columns.first_names_folded.push(row.first_name_folded);
            columns.last_names_folded.push(row.last_name_folded);
            columns.tags_folded.push(array(&row.tags_folded));
            columns.attributes_folded.push(row.attributes_folded);
            columns.search_texts.push(row.search_text);
            columns.consents_at.push(row.consent_at);
            columns.consent_sources.push(row.consent_source);
        }
        columns
    }

    /// Replaces the stored contacts of the same identifiers.
    pub(super) async fn update(
        self,
        conn: &mut Connection,
        organization: Id<Organization>,
    ) -> Result<(), StoreError> {
        let update = sql!(
            [UPDATE, GIVEN, OF_ORGANIZATION],
            organization,
            ids = self.ids,
            first_names = self.first_names,
            last_names = self.last_names,
            phones = self.phones,
            emails = self.emails,
            country_codes = self.country_codes,
            tags = self.tags,
            fcm_tokens = self.fcm_tokens,
            attributes = self.attributes,
            created_at = self.created_at,
            first_names_folded = self.first_names_folded,
            last_names_folded = self.last_names_folded,
            tags_folded = self.tags_folded,
            attributes_folded = self.attributes_folded,
            search_texts = self.search_texts,
            consents_at = self.consents_at,
            consent_sources = self.consent_sources,
        );
        update.execute(conn).await?;
        Ok(())
    }

    /// Adds the contacts.
    pub(super) async fn insert(
        self,
        conn: &mut Connection,
        organization: Id<Organization>,
    ) -> Result<(), StoreError> {
        let insert = sql!(
            [INSERT, GIVEN],
            organization,
            ids = self.ids,
            first_names = self.first_names,
            last_names = self.last_names,
            phones = self.phones,
            emails = self.emails,
            country_codes = self.country_codes,
            tags = self.tags,
            fcm_tokens = self.fcm_tokens,
            attributes = self.attributes,
            created_at = self.created_at,
            first_names_folded = self.first_names_folded,
            last_names_folded = self.last_names_folded,
            tags_folded = self.tags_folded,
            attributes_folded = self.attributes_folded,
            search_texts = self.search_texts,
            consents_at = self.consents_at,
            consent_sources = self.consent_sources,
        );
        insert.execute(conn).await?;
        Ok(())
    }
}

/// Formats an array as PostgreSQL writes it.
fn array(texts: &[String]) -> String {
    let mut array = String::from("{");
    for (index, text) in texts.iter().enumerate() {
        array.push_str(if index == 0 { "\"" } else { ",\"" });
        for character in text.chars() {
            if matches!(character, '"' | '\\') {
                array.push('\\');
            }
            array.push(character);
        }
        array.push('"');
    }
    array.push('}');
    array
}

const UPDATE: &str = "\
    UPDATE contacts AS contact SET first_name = given.first_name, last_name = given.last_name, \
        phone = given.phone, email = given.email, country_code = given.country_code, \
        tags = given.tags::text[], fcm_token = given.fcm_token, attributes = given.attributes, \
        first_name_folded = given.first_name_folded, last_name_folded = given.last_name_folded, \
        tags_folded = given.tags_folded::text[], attributes_folded = given.attributes_folded, \
        search_text = given.search_text, consent_at = given.consent_at, \
        consent_source = given.consent_source, updated_at = now() \
    FROM (SELECT {organization}::uuid AS organization_id, given.* FROM ";

/// Ends [`UPDATE`]. The organization is a column, so that no index is read by the organization
/// alone.
const OF_ORGANIZATION: &str = " OFFSET 0) AS given \
    WHERE contact.organization_id = ANY(ARRAY[given.organization_id]) \
        AND contact.id = ANY(ARRAY[given.id])";

const INSERT: &str = "\
    INSERT INTO contacts (organization_id, id, first_name, last_name, phone, email, country_code, \
        tags, fcm_token, attributes, created_at, first_name_folded, last_name_folded, tags_folded, \
        attributes_folded, search_text, consent_at, consent_source, updated_at) \
    SELECT {organization}::uuid, id, first_name, last_name, phone, email, country_code, \
        tags::text[], fcm_token, attributes, created_at, first_name_folded, last_name_folded, \
        tags_folded::text[], attributes_folded, search_text, consent_at, consent_source, \
        created_at FROM ";

/// Contacts as rows of a statement. Lists of tags are bound as texts: arrays of arrays would have
/// to be of the same length.
const GIVEN: &str = "\
    UNNEST({ids}::uuid[], {first_names}::text[], {last_names}::text[], {phones}::text[], \
        {emails}::text[], {country_codes}::text[], {tags}::text[], {fcm_tokens}::text[], \
        {attributes}::jsonb[], {created_at}::timestamptz[], {first_names_folded}::text[], \
        {last_names_folded}::text[], {tags_folded}::text[], {attributes_folded}::jsonb[], \
        {search_texts}::text[], {consents_at}::timestamptz[], {consent_sources}::text[]) \
    AS given (id, first_name, last_name, phone, email, country_code, tags, fcm_token, attributes, \
        created_at, first_name_folded, last_name_folded, tags_folded, attributes_folded, \
        search_text, consent_at, consent_source)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_special_characters_in_an_array() {
        let texts = [r#"a"b\c"#, "{d,e}", "NULL", ""].map(str::to_owned);
        assert_eq!(array(&texts), r#"{"a\"b\\c","{d,e}","NULL",""}"#);
        assert_eq!(array(&[]), "{}");
    }
}
