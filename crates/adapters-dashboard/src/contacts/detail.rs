//! `/app/contacts/{id}`

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;
use domain::{
    audience::{contact::Contact, suppression::Suppression},
    identity::permission::Permission,
    messaging::message::Message,
    shared::{address::Address, channel::Channel, id::Id},
};

use super::{LIST, address, name_of};
use crate::formats::{Formats, Moment};
use crate::frame::{Failure, Frame, Pages, Place, Query, Shown, Visit, id_of};
use crate::words::{Explanation, InWords, suppression_scope};

/// Maximum number of messages on the page.
const MESSAGES: u32 = 20;

#[derive(Template)]
#[template(path = "contacts/detail.html")]
struct DetailPage {
    frame: Frame,
    person: Person,
    suppressions: Vec<Entry>,
    sent: Vec<Sent>,
    pages: Pages,
    may_write: bool,
    may_send: bool,
}

/// Contact, as the page shows it.
struct Person {
    href: String,
    name: Option<String>,
    phone: Option<String>,
    phone_type: Option<&'static str>,
    email: Option<String>,
    has_device: bool,
    country: String,
    /// Tags with the addresses of the contacts that have them.
    tags: Vec<(String, String)>,
    attributes: BTreeMap<String, String>,
    /// Time and source of the consent.
    consent: Option<(Moment, String)>,
    created: Moment,
    updated: Moment,
    /// Page on which a message to the contact is written.
    send: Option<String>,
}

/// Entry of the suppression list.
struct Entry {
    /// Address of the list with the entry.
    href: String,
    address: String,
    scope: String,
    source: &'static str,
    meaning: &'static str,
    reason: Option<String>,
    since: Moment,
}

/// Message to the contact.
struct Sent {
    href: String,
    channel: &'static str,
    recipient: String,
    explanation: Explanation,
    price: String,
    is_sandbox: bool,
    at: Moment,
}

impl Person {
    fn new(contact: Contact, updated: Moment, f: &Formats) -> Self {
        let tag = |tag: String| {
            let href = Query::default().address(LIST, "tag", &tag);
            (tag, href)
        };
        let recipient = contact.phone.as_ref().or(contact.email.as_ref()).map(Address::as_str);
        let recipient =
            recipient.map(|to| Query::parse("to=one").address("/app/send", "recipient", to));
        Self {
            href: address(contact.id),
            name: name_of(&contact),
            phone: contact.phone.as_ref().map(|phone| f.phone(phone.as_str())),
            phone_type: contact.phone_type().map(|it| it.words().label),
            email: contact.email.map(|email| email.as_str().to_owned()),
            has_device: contact.fcm_token.is_some(),
            country: contact.country.to_string(),
            tags: contact.tags.into_iter().map(tag).collect(),
            attributes: contact.attributes,
            consent: contact.consent.map(|consent| (f.time(consent.at), consent.source)),
            created: f.time(contact.created_at),
            updated,
            send: recipient,
        }
    }
}

impl Entry {
    fn new(entry: &Suppression, f: &Formats) -> Self {
        let source = entry.source.words();
        let address = entry.phone.as_ref().or(entry.email.as_ref()).map(Address::as_str);
        let address = address.unwrap_or_default();
        Self {
            href: Query::default().address("/app/suppressions", "search", address),
            address: f.phone(address),
            scope: suppression_scope(entry),
            source: source.label,
            meaning: source.meaning,
            reason: entry.reason.clone(),
            since: f.time(entry.created_at),
        }
    }
}

impl Sent {
    fn new(message: &Message, f: &Formats) -> Self {
        Self {
            href: format!("/app/messages/{}", message.id),
            channel: message.draft.channel.words().label,
            recipient: match message.draft.channel {
                Channel::Push => "Device".to_owned(),
                _ => f.phone(message.draft.recipient.as_str()),
            },
            explanation: Explanation::of(message, f.now()),
            price: f.money(message.net_cost()),
            is_sandbox: message.is_sandbox,
            at: f.time(message.created_at),
        }
    }
}

pub(super) async fn show(visit: Visit, id: Path<String>, query: Query) -> Shown {
    let id = id_of::<Contact>(&id)?;
    let f = visit.formats();
    let details = visit.api().contacts.get(&visit.caller, id).await?;
    let after = match query.get("after") {
        Some(after) => Some(after.parse::<Id<Message>>().map_err(|_| Failure::UnknownPage)?),
        None => None,
    };
    let recipients = details.contact.recipients().into_iter();
    let recipients = recipients.map(|it| it.as_str().to_owned()).collect();
    let logs = &visit.api().delivery_logs;
    let part = logs.part_to(&visit.caller, recipients, after, MESSAGES).await?;
    let next = part.next.map(|next| next.to_string());
    visit.show(&DetailPage {
        frame: visit.frame(Place::Contacts),
        suppressions: details.suppressions.iter().map(|entry| Entry::new(entry, &f)).collect(),
        person: Person::new(details.contact, f.time(details.updated_at), &f),
        sent: part.messages.iter().map(|message| Sent::new(message, &f)).collect(),
        pages: Pages::by_cursor(&address(id), &query, next.as_deref()),
        may_write: visit.may(Permission::WriteAudience),
        may_send: visit.may(Permission::SendMessages),
    })
}
