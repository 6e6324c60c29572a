//! Contacts as CSV.

use actix_web::web::Bytes;
use domain::{audience::contact::Contact, shared::address::Address};
use serde_json::json;
use usecases::audience::contacts::ExportedContact;

use crate::inbound::shared::{csv, formats::Timestamp};

const HEADER: [&str; 12] = [
    "id",
    "phone",
    "email",
    "firstName",
    "lastName",
    "countryCode",
    "tags",
    "consentAt",
    "consentSource",
    "createdAt",
    "updatedAt",
    "attributes",
];

/// Returns the header as a line of text.
pub(super) fn header() -> String {
    HEADER.join(",") + "\r\n"
}

/// Returns the header and the first rows.
pub(super) fn beginning(contacts: Vec<ExportedContact>) -> Bytes {
    csv::beginning(&HEADER, contacts.into_iter().map(row))
}

/// Returns further rows.
pub(super) fn rows(contacts: Vec<ExportedContact>) -> Bytes {
    csv::rows(contacts.into_iter().map(row))
}

fn row(exported: ExportedContact) -> [String; HEADER.len()] {
    let ExportedContact { contact, updated_at } = exported;
    let Contact { id, first_name, last_name, phone, email, country, .. } = contact;
    let (mut consent_at, mut consent_source) = (String::new(), String::new());
    if let Some(consent) = contact.consent {
        consent_at = Timestamp::from(consent.at).text();
        consent_source = consent.source;
    }
    let attributes = if contact.attributes.is_empty() {
        String::new()
    } else {
        json!(contact.attributes).to_string()
    };
    [
        id.to_string(),
        text(phone),
        text(email),
        first_name.unwrap_or_default(),
        last_name.unwrap_or_default(),
        country.to_string(),
        contact.tags.join(";"),
        consent_at,
        consent_source,
        Timestamp::from(contact.created_at).text(),
        Timestamp::from(updated_at).text(),
        attributes,
    ]
}

fn text(address: Option<Address>) -> String {
    address.map(|it| it.as_str().to_owned()).unwrap_or_default()
}
