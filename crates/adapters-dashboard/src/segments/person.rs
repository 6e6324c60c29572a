//! Contacts of a segment, as its pages show them.

use domain::audience::contact::Contact;

use crate::formats::Formats;

/// Contact.
pub(super) struct Person {
    /// Address of its page.
    pub(super) href: String,
    /// Name; `None` if it has none.
    pub(super) name: Option<String>,
    /// Phone, `""` if it has none.
    pub(super) phone: String,
    /// Email, `""` if it has none.
    pub(super) email: String,
}

impl Person {
    /// Returns a contact as it is shown.
    pub(super) fn new(contact: &Contact, f: &Formats) -> Self {
        let names = [&contact.first_name, &contact.last_name].into_iter().flatten();
        let names: Vec<&str> = names.map(String::as_str).collect();
        let email = contact.email.as_ref();
        Self {
            href: format!("/app/contacts/{}", contact.id),
            name: (!names.is_empty()).then(|| names.join(" ")),
            phone: contact.phone.as_ref().map(|phone| f.phone(phone.as_str())).unwrap_or_default(),
            email: email.map(|email| email.as_str().to_owned()).unwrap_or_default(),
        }
    }
}
