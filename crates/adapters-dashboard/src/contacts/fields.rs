//! Fields of the form of a contact.

use std::collections::BTreeMap;

use domain::{
    audience::contact::{Consent, ConsentRequest, Contact, ContactRequest, ContactUpdate},
    shared::{change::Change, country::Country, fault::Faults},
};

use crate::formats::Formats;
use crate::frame::{Form, Labels, Posted};

pub(super) const LABELS: Labels = &[
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("phone", "Phone"),
    ("email", "Email"),
    ("tags", "Tags"),
    ("attributes", "A field of your own"),
    ("consent.at", "Time of the consent"),
    ("consent.source", "Occasion of the consent"),
];
/// Number of empty attributes that a form offers.
const OFFERED: usize = 2;

/// Attribute in the form: two fields, of its name and of its value.
pub(super) struct AttributeField {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) rows: usize,
}

impl AttributeField {
    fn new(number: usize, name: &str, value: &str) -> Self {
        let rows = value.split('\n').count();
        Self { number, name: name.to_owned(), value: value.to_owned(), rows }
    }
}

pub(super) fn filled(contact: &Contact, f: &Formats) -> Form {
    // A number without its calling code is read as one of the contact's country.
    let phone = contact.phone.as_ref().map(|phone| match contact.country {
        Country::GH => f.phone(phone.as_str()),
        _ => phone.as_str().to_owned(),
    });
    let email = contact.email.as_ref().map(|email| email.as_str().to_owned());
    let form = Form::new(LABELS)
        .with("firstName", contact.first_name.clone().unwrap_or_default())
        .with("lastName", contact.last_name.clone().unwrap_or_default())
        .with("phone", phone.unwrap_or_default())
        .with("email", email.unwrap_or_default())
        .with("tags", contact.tags.join("\n"));
    match &contact.consent {
        Some(consent) => form
            .with("consent.at", f.field_time(consent.at))
            .with("consent.source", consent.source.clone()),
        None => form,
    }
}

/// Returns the fields for attributes, and some empty ones.
pub(super) fn of_attributes(attributes: &BTreeMap<String, String>) -> Vec<AttributeField> {
    let empty = std::iter::repeat_n((String::new(), String::new()), OFFERED);
    let all = attributes.iter().map(|(name, value)| (name.clone(), value.clone())).chain(empty);
    all.enumerate()
        .map(|(number, (name, value))| AttributeField::new(number, &name, &value))
        .collect()
}

/// Returns the fields for attributes as they were written.
pub(super) fn written_attributes(posted: &Posted) -> Vec<AttributeField> {
    let is_there = |number: &usize| posted.is_set(&format!("attribute-name-{number}"));
    let written = (0..).take_while(is_there).map(|number| {
        let name = posted.raw(&format!("attribute-name-{number}"));
        let value = posted.raw(&format!("attribute-value-{number}"));
        AttributeField::new(number, name, value)
    });
    written.collect()
}

/// Returns the request for a new contact, with the faults that were found in it.
pub(super) fn request(posted: &Posted, f: &Formats) -> (ContactRequest, Faults) {
    let mut faults = Faults::default();
    let request = ContactRequest {
        first_name: posted.text("firstName"),
        last_name: posted.text("lastName"),
        phone: posted.text("phone"),
        email: posted.text("email"),
        fcm_token: None,
        country: None,
        tags: posted.lines("tags"),
        attributes: attributes(posted, &mut faults),
        consent: consent(posted, f, &mut faults),
    };
    (request, faults)
}

/// Returns the changes to a contact, with the faults that were found in them. What the form does not
/// show is kept.
pub(super) fn update(posted: &Posted, contact: &Contact, f: &Formats) -> (ContactUpdate, Faults) {
    let mut faults = Faults::default();
    let update = ContactUpdate {
        first_name: Change::Set(posted.text("firstName")),
        last_name: Change::Set(posted.text("lastName")),
        phone: Change::Set(posted.text("phone")),
        email: Change::Set(posted.text("email")),
        fcm_token: Change::Keep,
        country: Change::Keep,
        tags: Change::Set(Some(posted.lines("tags"))),
        attributes: Change::Set(Some(attributes(posted, &mut faults))),
        consent: match &contact.consent {
            // The form shows minutes only.
            Some(known) if is_unchanged(known, posted, f) => Change::Keep,
            _ => Change::Set(consent(posted, f, &mut faults)),
        },
    };
    (update, faults)
}

fn is_unchanged(known: &Consent, posted: &Posted, f: &Formats) -> bool {
    posted.raw("consent.at") == f.field_time(known.at)
        && posted.raw("consent.source") == known.source
}

/// Returns the attributes with a value: without one, the attribute is deleted.
fn attributes(posted: &Posted, faults: &mut Faults) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    for AttributeField { name, value, .. } in written_attributes(posted) {
        let name = name.trim();
        if value.trim().is_empty() {
            continue;
        }
        if name.is_empty() {
            faults.add("attributes", format!("needs a name for “{}”", value.trim()));
        } else if attributes.insert(name.to_owned(), value).is_some() {
            faults.add("attributes", format!("is there twice: “{name}”"));
        }
    }
    attributes
}

fn consent(posted: &Posted, f: &Formats, faults: &mut Faults) -> Option<ConsentRequest> {
    let source = posted.text("consent.source");
    let Some(text) = posted.text("consent.at") else {
        return source.map(|source| ConsentRequest { at: None, source: Some(source) });
    };
    let at = f.parse_time(&text);
    if at.is_none() {
        faults.add("consent.at", "is not a day with a time");
    }
    Some(ConsentRequest { at, source })
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn formats() -> Formats {
        Formats::new("Africa/Accra", Country::GH, DateTime::UNIX_EPOCH)
    }

    fn posted(fields: &[(&str, &str)]) -> Posted {
        Posted::of_fields(fields)
    }

    #[test]
    fn an_attribute_without_a_value_is_left_out_and_one_without_a_name_is_a_fault() {
        let posted = posted(&[
            ("attribute-name-0", "Town"),
            ("attribute-value-0", "Osu\nAccra"),
            ("attribute-name-1", "Birthday"),
            ("attribute-value-1", " "),
            ("attribute-name-2", ""),
            ("attribute-value-2", "vip"),
            ("attribute-name-3", " Town"),
            ("attribute-value-3", "Labone"),
        ]);
        let (request, faults) = request(&posted, &formats());
        assert_eq!(request.attributes.keys().collect::<Vec<_>>(), ["Town"]);
        assert_eq!(
            faults.fields["attributes"],
            ["needs a name for “vip”", "is there twice: “Town”"]
        );
        assert_eq!(written_attributes(&posted)[0].rows, 2);
    }

    #[test]
    fn a_consent_has_a_time_and_a_source_or_is_none() {
        let read = |fields: &[(&str, &str)]| request(&posted(fields), &formats());
        assert_eq!(read(&[("consent.at", ""), ("consent.source", " ")]).0.consent, None);
        let (given, faults) =
            read(&[("consent.at", "1970-01-01T00:00"), ("consent.source", "Till")]);
        let expected =
            ConsentRequest { at: Some(DateTime::UNIX_EPOCH), source: Some("Till".into()) };
        assert_eq!((given.consent, faults.is_empty()), (Some(expected), true));
        let (_, faults) = read(&[("consent.at", "yesterday")]);
        assert_eq!(faults, Faults::field("consent.at", "is not a day with a time"));
    }

    #[test]
    fn each_line_is_a_tag() {
        let posted = posted(&[("tags", "vip\n\n Accra, east \n")]);
        assert_eq!(request(&posted, &formats()).0.tags, ["vip", "Accra, east"]);
    }

    #[test]
    fn a_consent_that_nobody_touched_keeps_its_seconds() {
        let at = DateTime::from_timestamp(90, 0).unwrap();
        let consent = ConsentRequest { at: Some(at), source: Some("Till".into()) };
        let new = ContactRequest { consent: Some(consent), ..ContactRequest::default() };
        let contact = new.contact(domain::identity::organization::PLATFORM, at).unwrap();
        let shown = [("consent.at", "1970-01-01T00:01"), ("consent.source", "Till")];
        let (kept, _) = update(&posted(&shown), &contact, &formats());
        assert_eq!(kept.consent, Change::Keep);
        let (cleared, _) = update(&posted(&[]), &contact, &formats());
        assert_eq!(cleared.consent, Change::Set(None));
    }
}
