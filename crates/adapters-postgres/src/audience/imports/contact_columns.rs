//! Contacts written together, column by column.

use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::audience::contact::Contact;
use serde_json::Value;
use uuid::Uuid;

use crate::{audience::contacts::row::NewContactRow, shared::query::statement::Statement};

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

    /// Binds the columns in the order of [`GIVEN`].
    pub(super) fn bind<'v, ST>(&'v self, statement: Statement<'v, ST>) -> Statement<'v, ST> {
        statement
            .bind::<Array<SqlUuid>, _>(&self.ids)
            .bind::<Array<Nullable<Text>>, _>(&self.first_names)
            .bind::<Array<Nullable<Text>>, _>(&self.last_names)
            .bind::<Array<Nullable<Text>>, _>(&self.phones)
            .bind::<Array<Nullable<Text>>, _>(&self.emails)
            .bind::<Array<Text>, _>(&self.country_codes)
            .bind::<Array<Text>, _>(&self.tags)
            .bind::<Array<Nullable<Text>>, _>(&self.fcm_tokens)
            .bind::<Array<Jsonb>, _>(&self.attributes)
            .bind::<Array<Timestamptz>, _>(&self.created_at)
            .bind::<Array<Nullable<Text>>, _>(&self.first_names_folded)
            .bind::<Array<Nullable<Text>>, _>(&self.last_names_folded)
            .bind::<Array<Text>, _>(&self.tags_folded)
            .bind::<Array<Jsonb>, _>(&self.attributes_folded)
            .bind::<Array<Text>, _>(&self.search_texts)
            .bind::<Array<Nullable<Timestamptz>>, _>(&self.consents_at)
            .bind::<Array<Nullable<Text>>, _>(&self.consent_sources)
    }
}

/// Contacts as rows of a statement. Lists of tags are bound as texts: arrays of arrays would have
/// to be of the same length.
pub(super) const GIVEN: &str = "\
    UNNEST(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS given (id, first_name, last_name, phone, \
        email, country_code, tags, fcm_token, attributes, created_at, first_name_folded, \
        last_name_folded, tags_folded, attributes_folded, search_text, consent_at, consent_source)";

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
