//! Fields of a contact that fill messages.

use super::Contact;
use crate::shared::{address::Address, channel::Channel};

/// Optional prefix of the name of an attribute.
const ATTRIBUTES: &str = "attributes.";

impl Contact {
    /// Returns the contact's address on a channel; `None` if it has none.
    pub fn address(&self, channel: Channel) -> Option<&Address> {
        match channel {
            Channel::Sms | Channel::WhatsApp | Channel::Voice => self.phone.as_ref(),
            Channel::Email => self.email.as_ref(),
            Channel::Push => self.fcm_token.as_ref(),
        }
    }

    /// Returns all addresses of the contact.
    pub fn recipients(&self) -> Vec<&Address> {
        [&self.phone, &self.email, &self.fcm_token].into_iter().flatten().collect()
    }

    /// Returns the value for a placeholder: a field of that name, or else an attribute.
    pub fn field(&self, name: &str) -> Option<&str> {
        match name {
            "firstName" => self.first_name.as_deref(),
            "lastName" => self.last_name.as_deref(),
            "phone" => self.phone.as_ref().map(Address::as_str),
            "email" => self.email.as_ref().map(Address::as_str),
            "countryCode" => Some(self.country.as_str()),
            name => {
                let by_name = self.attributes.get(name);
                let in_full = || self.attributes.get(name.strip_prefix(ATTRIBUTES)?);
                by_name.or_else(in_full).map(String::as_str)
            }
        }
    }
}
