//! Contacts of organizations, used to find the other addresses of a contact.

use std::collections::BTreeMap;

use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    shared::{address::Address, channel::Channel, id::Id},
};

/// Contacts of all organizations.
#[derive(Default)]
pub(crate) struct ContactBook(BTreeMap<(Id<Organization>, Id<Contact>), Contact>);

impl ContactBook {
    pub(crate) fn put(&mut self, contact: Contact) {
        self.0.insert((contact.organization, contact.id), contact);
    }

    /// Returns the contacts of an organization that have that address on that channel.
    pub(crate) fn with(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Vec<&Contact> {
        let own = self.0.values().filter(|contact| contact.organization == organization);
        own.filter(|contact| has_address(contact, channel, address)).collect()
    }
}

fn has_address(contact: &Contact, channel: Channel, address: &Address) -> bool {
    match channel {
        Channel::Email => {
            let address = address.as_str().to_lowercase();
            contact.email.as_ref().is_some_and(|email| email.as_str() == address)
        }
        Channel::Push => contact.fcm_token.as_ref() == Some(address),
        Channel::Sms | Channel::WhatsApp | Channel::Voice => {
            contact.phone.as_ref() == Some(address)
        }
    }
}
