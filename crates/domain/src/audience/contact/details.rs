//! Contacts with what is known about writing to them.

use chrono::{DateTime, TimeDelta, Utc};

use super::Contact;
use crate::{
    audience::suppression::Suppression, messaging::delivery::Status, shared::address::Address,
};

/// Time in which the last message to a contact is looked for.
pub const LAST_MESSAGE_WITHIN: TimeDelta = TimeDelta::days(93);

/// Contact with what is known about writing to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactDetails {
    /// The contact.
    pub contact: Contact,
    /// Time at which a request or a file last wrote it.
    pub updated_at: DateTime<Utc>,
    /// Entries of the suppression list for its addresses, newest first.
    pub suppressions: Vec<Suppression>,
    /// Newest message to one of its addresses within [`LAST_MESSAGE_WITHIN`] that is no message of the
    /// sandbox; `None` if there is none.
    pub last_message: Option<LastMessage>,
}

/// Newest message to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastMessage {
    /// Address to which it goes.
    pub recipient: Address,
    /// Time at which it was accepted.
    pub at: DateTime<Utc>,
    /// Its status.
    pub status: Status,
}

impl ContactDetails {
    /// Takes from `entries` and `messages` those for the addresses of a contact. Without `updated_at`
    /// nothing was written since its creation.
    pub fn of(
        contact: Contact,
        updated_at: Option<DateTime<Utc>>,
        entries: &[Suppression],
        messages: &[LastMessage],
    ) -> Self {
        let mut suppressions = Vec::new();
        for entry in entries {
            if is_for(entry, &contact) {
                suppressions.push(entry.clone());
            }
        }
        suppressions.sort_by_key(|entry| std::cmp::Reverse(entry.id));
        let recipients = contact.recipients();
        let to_contact = messages.iter().filter(|message| recipients.contains(&&message.recipient));
        let last_message = to_contact.max_by_key(|message| message.at).cloned();
        let updated_at = updated_at.unwrap_or(contact.created_at);
        Self { contact, updated_at, suppressions, last_message }
    }
}

/// True if an entry has an address of the contact. Entries keep the case of mail addresses, and have
/// devices in the place of numbers.
fn is_for(entry: &Suppression, contact: &Contact) -> bool {
    if let Some(number) = &entry.phone
        && (contact.phone.as_ref() == Some(number) || contact.fcm_token.as_ref() == Some(number))
    {
        return true;
    }
    match (&entry.email, &contact.email) {
        (Some(entered), Some(own)) => entered.as_str().eq_ignore_ascii_case(own.as_str()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        audience::{contact::ContactRequest, suppression::SuppressionRequest},
        identity::organization::PLATFORM,
    };

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_780_000_000 + second, 0).unwrap()
    }

    fn ama() -> Contact {
        let request = ContactRequest {
            phone: Some("0241234567".into()),
            email: Some("Ama@example.com".into()),
            fcm_token: Some("device-1".into()),
            ..ContactRequest::default()
        };
        request.contact(PLATFORM, at(0)).unwrap()
    }

    fn entry(phone: Option<&str>, email: Option<&str>, second: i64) -> Suppression {
        let request = SuppressionRequest {
            phone: phone.map(str::to_owned),
            email: email.map(str::to_owned),
            ..SuppressionRequest::default()
        };
        request.entry(PLATFORM, at(second)).unwrap()
    }

    fn message(recipient: &str, second: i64, status: Status) -> LastMessage {
        LastMessage { recipient: Address::stored(recipient.into()), at: at(second), status }
    }

    #[test]
    fn a_contact_has_the_entries_for_any_of_its_addresses_newest_first() {
        let device = Suppression {
            phone: Some(Address::stored("device-1".into())),
            ..entry(Some("0200000001"), None, 3)
        };
        let entries = [
            entry(Some("0241234567"), None, 1),
            entry(None, Some("AMA@Example.com"), 2),
            device,
            entry(Some("0241234568"), Some("kofi@example.com"), 4),
        ];

        let details = ContactDetails::of(ama(), None, &entries, &[]);

        let times: Vec<_> = details.suppressions.iter().map(|entry| entry.created_at).collect();
        assert_eq!(times, [at(3), at(2), at(1)]);
        let blank = Contact { phone: None, email: None, fcm_token: None, ..ama() };
        assert!(ContactDetails::of(blank, None, &entries, &[]).suppressions.is_empty());
    }

    #[test]
    fn the_last_message_is_the_newest_to_any_address() {
        let messages = [
            message("+233241234567", 1, Status::Delivered),
            message("ama@example.com", 2, Status::Failed),
            message("kofi@example.com", 3, Status::Sent),
        ];

        let details = ContactDetails::of(ama(), Some(at(9)), &[], &messages);

        let last = details.last_message.unwrap();
        assert_eq!((last.at, last.status, details.updated_at), (at(2), Status::Failed, at(9)));
        let silent = ContactDetails::of(ama(), None, &[], &messages[2..]);
        assert_eq!((silent.last_message, silent.updated_at), (None, at(0)));
    }
}
