//! Suppression lists.

use domain::{
    audience::{
        contact::Contact,
        suppression::{OptOut, Suppression, SuppressionSource},
    },
    identity::organization::Organization,
    messaging::message::Message,
    shared::{address::Address, channel::Channel, id::Id},
};

use super::contact_book::ContactBook;

/// Entries of all organizations, in the order in which they were made.
#[derive(Default)]
pub(crate) struct SuppressionList(Vec<Suppression>);

impl SuppressionList {
    /// Returns true if a message may not go to its recipient.
    pub(crate) fn bars(&self, message: &Message, contacts: &ContactBook) -> bool {
        let draft = &message.draft;
        let owners = contacts.with(message.organization, draft.channel, &draft.recipient);
        self.of(message.organization).any(|entry| {
            let is_for_owners = draft.channel == Channel::Push || entry.crosses();
            let is_meant = has_address(entry, draft.channel, &draft.recipient)
                || is_for_owners && owners.iter().any(|contact| is_for(entry, contact));
            is_meant
                && entry.channel.is_none_or(|channel| channel == draft.channel)
                && entry
                    .category
                    .is_none_or(|category| message.kinds().any(|kind| kind == category))
        })
    }

    /// Adds an entry, unless one with the same source and target exists. Returns the entry that exists
    /// then, and true if it is new.
    pub(crate) fn insert(&mut self, entry: Suppression) -> (Suppression, bool) {
        if let Some(known) = self.0.iter().find(|known| is_same(known, &entry)) {
            return (known.clone(), false);
        }
        self.0.push(entry.clone());
        (entry, true)
    }

    /// Removes an entry. Returns false if there is no such entry.
    pub(crate) fn delete(&mut self, organization: Id<Organization>, id: Id<Suppression>) -> bool {
        let before = self.0.len();
        self.0.retain(|entry| entry.organization != organization || entry.id != id);
        self.0.len() < before
    }

    /// Removes an address from a list for one channel, except for entries that the owner's `START` does not
    /// lift.
    pub(crate) fn lift(
        &mut self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) {
        self.0.retain(|entry| {
            let is_lifted = entry.organization == organization
                && entry.channel == Some(channel)
                && entry.source.is_lifted_by_start()
                && (entry.phone.as_ref() == Some(address) || has_email(entry, address));
            !is_lifted
        });
    }

    /// Returns the entries of an organization, in the order in which they were made.
    pub(crate) fn of(
        &self,
        organization: Id<Organization>,
    ) -> impl DoubleEndedIterator<Item = &Suppression> {
        self.0.iter().filter(move |entry| entry.organization == organization)
    }
}

/// Returns the entry for an opt-out.
pub(crate) fn entry_of(opt_out: &OptOut, id: Id<Suppression>) -> Suppression {
    let address = opt_out.address.clone();
    let (phone, email) = match opt_out.channel {
        Channel::Email => (None, Some(address)),
        _ => (Some(address), None),
    };
    Suppression {
        id,
        organization: opt_out.organization,
        phone,
        email,
        channel: Some(opt_out.channel),
        category: opt_out.category(),
        reason: Some(SuppressionSource::reason(opt_out.source).to_owned()),
        source: opt_out.source,
        created_at: opt_out.at,
    }
}

/// Returns true if a contact has the phone or the email of an entry.
fn is_for(entry: &Suppression, contact: &Contact) -> bool {
    let has_phone = entry.phone.is_some() && entry.phone == contact.phone;
    has_phone || contact.email.as_ref().is_some_and(|email| has_email(entry, email))
}

/// Returns true if an entry has that address. Device tokens are stored in `phone`.
fn has_address(entry: &Suppression, channel: Channel, address: &Address) -> bool {
    match channel {
        Channel::Email => has_email(entry, address),
        Channel::Sms | Channel::WhatsApp | Channel::Voice | Channel::Push => {
            entry.phone.as_ref() == Some(address)
        }
    }
}

fn has_email(entry: &Suppression, address: &Address) -> bool {
    let address = address.as_str().to_lowercase();
    entry.email.as_ref().is_some_and(|email| email.as_str().to_lowercase() == address)
}

fn is_same(one: &Suppression, other: &Suppression) -> bool {
    let lower = |email: &Option<Address>| email.as_ref().map(|it| it.as_str().to_lowercase());
    one.organization == other.organization
        && one.phone == other.phone
        && lower(&one.email) == lower(&other.email)
        && (one.channel, one.category, one.source) == (other.channel, other.category, other.source)
}
