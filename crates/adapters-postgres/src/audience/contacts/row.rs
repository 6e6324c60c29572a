//! Rows of contacts.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    audience::contact::{Consent, Contact},
    shared::{address::Address, text::fold},
};
use ports::shared::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{error::corrupt, query::row::row, schema::contacts};

row! {
    /// Row of a contact, for reading.
    #[derive(HasQuery)]
    #[diesel(table_name = contacts)]
    pub(crate) struct ContactRow {
        id: Uuid,
        organization_id: Uuid,
        first_name: Option<String>,
        last_name: Option<String>,
        phone: Option<String>,
        email: Option<String>,
        country_code: String,
        tags: Vec<String>,
        fcm_token: Option<String>,
        attributes: Value,
        created_at: DateTime<Utc>,
        consent_at: Option<DateTime<Utc>>,
        consent_source: Option<String>,
    }
}

/// Complete row of a contact, for writing: the displayed texts, and their folded copies for
/// searches that ignore case.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = contacts, primary_key(organization_id, id), treat_none_as_null = true)]
pub(crate) struct NewContactRow {
    pub(crate) id: Uuid,
    pub(crate) organization_id: Uuid,
    pub(crate) first_name: Option<String>,
    pub(crate) last_name: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) country_code: String,
    pub(crate) tags: Vec<String>,
    pub(crate) fcm_token: Option<String>,
    pub(crate) attributes: Value,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) first_name_folded: Option<String>,
    pub(crate) last_name_folded: Option<String>,
    pub(crate) tags_folded: Vec<String>,
    pub(crate) attributes_folded: Value,
    pub(crate) search_text: String,
    pub(crate) consent_at: Option<DateTime<Utc>>,
    pub(crate) consent_source: Option<String>,
}

impl From<&Contact> for NewContactRow {
    fn from(contact: &Contact) -> Self {
        let text = |address: &Option<Address>| address.as_ref().map(|it| it.as_str().to_owned());
        let attributes = contact.attributes.iter();
        let folded = |name: &Option<String>| name.as_deref().map(fold);
        Self {
            id: contact.id.uuid(),
            organization_id: contact.organization.uuid(),
            first_name: contact.first_name.clone(),
            last_name: contact.last_name.clone(),
            phone: text(&contact.phone),
            email: text(&contact.email),
            country_code: contact.country.as_str().to_owned(),
            tags: contact.tags.clone(),
            fcm_token: text(&contact.fcm_token),
            attributes: attributes.clone().map(|(name, it)| (name.clone(), it.clone())).collect(),
            created_at: contact.created_at,
            first_name_folded: folded(&contact.first_name),
            last_name_folded: folded(&contact.last_name),
            tags_folded: contact.tags.iter().map(|tag| fold(tag)).collect(),
            attributes_folded: attributes.map(|(name, it)| (name.clone(), fold(it))).collect(),
            search_text: search_text(contact),
            consent_at: contact.consent.as_ref().map(|consent| consent.at),
            consent_source: contact.consent.as_ref().map(|consent| consent.source.clone()),
        }
    }
}

/// Returns the folded text that searches look through: the names on one line, the phone and the
/// mail address on a line each.
fn search_text(contact: &Contact) -> String {
    let names = [contact.first_name.as_deref(), contact.last_name.as_deref()];
    let names = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let phone = contact.phone.as_ref().map_or("", Address::as_str);
    let email = contact.email.as_ref().map_or("", Address::as_str);
    let lines = [names.as_str(), phone, email];
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    fold(&lines.join("\n"))
}

impl TryFrom<ContactRow> for Contact {
    type Error = StoreError;

    fn try_from(row: ContactRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("contacts", row.id);
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            first_name: row.first_name,
            last_name: row.last_name,
            phone: row.phone.map(Address::stored),
            email: row.email.map(Address::stored),
            fcm_token: row.fcm_token.map(Address::stored),
            country: row.country_code.parse().map_err(|_| corrupt())?,
            tags: row.tags,
            attributes: serde_json::from_value(row.attributes).map_err(|_| corrupt())?,
            consent: row
                .consent_at
                .zip(row.consent_source)
                .map(|(at, source)| Consent { at, source }),
            created_at: row.created_at,
        })
    }
}
