//! Timeline of a message, as its page shows it.

use domain::messaging::attempt::Attempt;
use domain::messaging::message::Message;
use domain::messaging::timeline::{Entry, EntryKind};
use domain::shared::channel::Channel;
use domain::shared::money::Money;

use super::address_of;
use crate::formats::{Formats, Moment};
use crate::words::{Explanation, InWords, Tone, Words, attempt_words};

pub(super) struct Row {
    pub(super) title: &'static str,
    pub(super) tone: Tone,
    pub(super) at: Moment,
    pub(super) event: Event,
}

/// Event of an entry.
pub(super) enum Event {
    /// The message was accepted, and paid with `price` unless it was free.
    Accepted { price: Option<String> },
    /// The message was to wait until a time, which its sender chose or not.
    PutOff { until: Moment, is_chosen: bool },
    /// A provider was called.
    Attempt {
        provider: String,
        meaning: &'static str,
        /// Sentence that says why the provider did not take it.
        reason: Option<&'static str>,
        /// The provider's own code for that.
        vendor_code: Option<String>,
        /// Number of attempts before it that are not listed; `None` if all are.
        omitted: Option<u32>,
    },
    /// A provider took the message.
    HandedOver { provider: Option<String> },
    /// The outcome became known.
    Outcome { happened: &'static str, charge: &'static str },
    /// The message follows one over another channel.
    Follows { channel: &'static str, href: String },
    /// Another channel is tried after the message.
    FollowedBy { channel: &'static str, href: String },
    /// The price was paid back.
    PaidBack { amount: String },
    /// Something else, in a sentence.
    Other { text: String },
}

pub(super) fn rows(message: &Message, entries: Vec<Entry>, formats: &Formats) -> Vec<Row> {
    entries.into_iter().map(|entry| Row::of(message, entry, formats)).collect()
}

impl Row {
    fn of(message: &Message, entry: Entry, formats: &Formats) -> Self {
        let explanation = Explanation::of(message, formats.now());
        let attempt = attempt_of(message, &entry);
        let kind = entry.kind.words();
        let (title, tone) = match (entry.kind, attempt) {
            (EntryKind::Report, _) => (explanation.label, explanation.tone),
            (_, Some(attempt)) => {
                let Words { label, tone, .. } = attempt_words(attempt);
                (label, tone)
            }
            _ => (kind.label, kind.tone),
        };
        let at = formats.exact_time(entry.at);
        let event = match entry.kind {
            EntryKind::Accepted => {
                let price = entry.amount.filter(|price| *price > Money::ZERO);
                Event::Accepted { price: price.map(|price| formats.money(price)) }
            }
            EntryKind::Scheduled => Event::PutOff {
                until: formats.time(message.scheduled_at.unwrap_or(message.valid_from)),
                is_chosen: message.scheduled_at.is_some(),
            },
            EntryKind::Attempt => attempted(attempt, entry),
            EntryKind::HandedOver => Event::HandedOver { provider: entry.provider },
            EntryKind::Report | EntryKind::Cancelled => {
                let (happened, charge) = (explanation.happened, explanation.charge.sentence());
                Event::Outcome { happened, charge }
            }
            EntryKind::Fallback => fallback(message, entry),
            EntryKind::Refunded => {
                Event::PaidBack { amount: formats.money(entry.amount.unwrap_or_default()) }
            }
            EntryKind::Webhook => Event::Other { text: entry.text },
        };
        Self { title, tone, at, event }
    }
}

/// Returns the attempt that an entry is about.
fn attempt_of<'m>(message: &'m Message, entry: &Entry) -> Option<&'m Attempt> {
    let provider = entry.provider.as_ref().filter(|_| entry.kind == EntryKind::Attempt)?;
    let is_meant = |it: &&Attempt| it.started_at == entry.at && it.provider == *provider;
    message.attempts.iter().find(is_meant)
}

fn attempted(attempt: Option<&Attempt>, entry: Entry) -> Event {
    let Some(attempt) = attempt else { return Event::Other { text: entry.text } };
    let end = attempt.ended();
    Event::Attempt {
        provider: attempt.provider.clone(),
        meaning: attempt_words(attempt).meaning,
        reason: end.and_then(|end| end.error_code).map(|code| code.words().meaning),
        vendor_code: end.and_then(|end| end.vendor_code.clone()),
        omitted: Some(attempt.omitted).filter(|omitted| *omitted > 0),
    }
}

fn fallback(message: &Message, entry: Entry) -> Event {
    let channel: Option<Channel> = entry.code.as_deref().and_then(|code| code.parse().ok());
    let (Some(channel), Some(other)) = (channel, entry.other) else {
        return Event::Other { text: entry.text };
    };
    let (channel, href) = (channel.words().label, address_of(other));
    // Identifiers sort by the times of their creation.
    if other < message.id {
        Event::Follows { channel, href }
    } else {
        Event::FollowedBy { channel, href }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use domain::{
        messaging::{
            delivery::{Delivery, Failure, FailureCode},
            message::{MessageRequest, Terms},
            outcome::Outcome,
            priority::Origin,
            timeline::{ChainLink, Surroundings},
        },
        shared::{country::Country, id::Id},
    };

    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn message() -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            ..MessageRequest::default()
        };
        let cost = Money::from_micros(35_000);
        let terms = Terms { cost, refusal: None, is_sandbox: false, is_confidential: false };
        Message::queue(Id::new(NOW), request.draft(None).unwrap(), Origin::Single, terms, NOW)
    }

    fn shown(message: &Message, surroundings: &Surroundings) -> Vec<Row> {
        let formats = Formats::new("Africa/Accra", Country::GH, NOW);
        rows(message, message.timeline(surroundings), &formats)
    }

    #[test]
    fn a_failed_message_says_who_refused_it_why_and_what_was_paid_back() {
        let failure = Failure::new(FailureCode::InvalidRecipient, "no").with_vendor_code("17");
        let later = NOW + TimeDelta::seconds(1);
        let attempt = Attempt::start("first", NOW).end(later, &Outcome::Rejected(failure.clone()));
        let message = Message {
            attempts: vec![attempt],
            delivery: Delivery::Failed { sent_at: None, at: later, failure },
            ..message()
        };

        let rows = shown(&message, &Surroundings::default());

        let titles: Vec<_> = rows.iter().map(|row| row.title).collect();
        assert_eq!(titles, ["Accepted", "Refused", "Not delivered", "Paid back"]);
        let Event::Attempt { provider, reason, vendor_code, .. } = &rows[1].event else {
            panic!("the second entry is no attempt")
        };
        assert_eq!((provider.as_str(), vendor_code.as_deref()), ("first", Some("17")));
        assert_eq!(*reason, Some(FailureCode::InvalidRecipient.words().meaning));
        assert!(matches!(&rows[3].event, Event::PaidBack { amount } if amount == "GHS 0.035"));
    }

    #[test]
    fn the_messages_before_and_after_it_are_linked() {
        let message = message();
        let link = |seconds| {
            let at = NOW + TimeDelta::seconds(seconds);
            ChainLink { message: Id::floor(at), channel: Channel::WhatsApp, at }
        };
        let (previous, next) = (link(-60), link(60));
        let surroundings =
            Surroundings { previous: Some(previous), next: Some(next), deliveries: Vec::new() };

        let rows = shown(&message, &surroundings);

        let links: Vec<_> = rows
            .iter()
            .filter_map(|row| match &row.event {
                Event::Follows { channel, href } => Some((false, *channel, href.as_str())),
                Event::FollowedBy { channel, href } => Some((true, *channel, href.as_str())),
                _ => None,
            })
            .collect();
        let (before, after) = (address_of(previous.message), address_of(next.message));
        let expected = [(false, "WhatsApp", before.as_str()), (true, "WhatsApp", after.as_str())];
        assert_eq!(links, expected);
    }
}
