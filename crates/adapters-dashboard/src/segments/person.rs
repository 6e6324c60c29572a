//! Contacts of a segment, as its pages show them.

use domain::audience::contact::Contact;

use crate::contacts::name_of;
use crate::formats::Formats;

pub(super) struct Person {
    pub(super) href: String,
    pub(super) name: Option<String>,
    pub(super) phone: String,
    pub(super) email: String,
}

impl Person {
    pub(super) fn new(contact: &Contact, f: &Formats) -> Self {
        let email = contact.email.as_ref();
        Self {
            href: format!("/app/contacts/{}", contact.id),
            name: name_of(contact),
            phone: contact.phone.as_ref().map(|phone| f.phone(phone.as_str())).unwrap_or_default(),
            email: email.map(|email| email.as_str().to_owned()).unwrap_or_default(),
        }
    }
}
