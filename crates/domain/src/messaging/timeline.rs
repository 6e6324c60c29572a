//! Timelines of messages: entries for people, derived from records kept for other purposes.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     messaging::timeline::{EntryKind, Surroundings},
//!     platform::webhook_examples::example_message,
//!     shared::id::Id,
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let message = example_message(Id::new(now), now);
//! let entries = message.timeline(&Surroundings::default());
//! assert!(entries.iter().any(|entry| entry.kind == EntryKind::Accepted));
//! ```

mod sentences;

use chrono::{DateTime, Utc};

pub use self::sentences::{Explanation, Payment};
use crate::{
    messaging::{
        attempt::{Attempt, AttemptOutcome},
        delivery::{Delivery, Failure, FailureCode, Status},
        message::Message,
        retry::MAX_FOLLOW_UP,
    },
    shared::{channel::Channel, id::Id, money::Money},
    webhooks::webhook::DeliveryRecordStatus,
};

/// Entry of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Time of the entry.
    pub at: DateTime<Utc>,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Provider that it is about.
    pub provider: Option<String>,
    /// Message of the other channel that a fallback is about.
    pub other: Option<Id<Message>>,
    /// Reason or result for programs: of a fallback the channel, of a call of a webhook the HTTP
    /// status or the failure, of all others the failure code.
    pub code: Option<String>,
    /// Sentence for people.
    pub text: String,
    /// Amount that was paid or paid back.
    pub amount: Option<Money>,
}

crate::closed_list! {
    /// Kind of an [`Entry`].
    pub enum EntryKind {
        /// The message was accepted and paid for.
        Accepted = "ACCEPTED",
        /// The message was to wait for a time.
        Scheduled = "SCHEDULED",
        /// A provider was called.
        Attempt = "ATTEMPT",
        /// A provider took the message.
        HandedOver = "HANDED_OVER",
        /// The outcome became known, or the wait for it ended.
        Report = "REPORT",
        /// Another channel is tried, or was tried before.
        Fallback = "FALLBACK",
        /// The cost was paid back.
        Refunded = "REFUNDED",
        /// The message was cancelled.
        Cancelled = "CANCELLED",
        /// A webhook was called.
        Webhook = "WEBHOOK",
    }
}

/// Records about a message that are kept beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Message of the same trigger before it; `None` if it is the first.
    pub previous: Option<ChainLink>,
    /// Message of the same trigger after it; `None` if it is the last.
    pub next: Option<ChainLink>,
    /// Deliveries of its events to webhooks.
    pub deliveries: Vec<EventDelivery>,
}

/// Message of a trigger, by which another channel was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink {
    /// Identifier of the message.
    pub message: Id<Message>,
    /// Channel of the message.
    pub channel: Channel,
    /// Time of its acceptance.
    pub at: DateTime<Utc>,
}

/// Delivery of an event of a message to a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDelivery {
    /// Time of the last attempt, or of the event until there is one.
    pub at: DateTime<Utc>,
    /// Status of the delivery.
    pub status: DeliveryRecordStatus,
    /// Number of attempts.
    pub attempts: u32,
    /// HTTP status of the last answer.
    pub status_code: Option<u16>,
    /// Reason for which there was no answer.
    pub failure: Option<String>,
}

impl Message {
    /// Returns its timeline, oldest entry first.
    pub fn timeline(&self, surroundings: &Surroundings) -> Vec<Entry> {
        let mut entries = vec![accepted(self)];
        if let Some(previous) = surroundings.previous {
            entries.push(continued_from(previous, self.created_at));
        }
        if self.valid_from > self.created_at {
            entries.push(scheduled(self));
        }
        entries.extend(self.attempts.iter().map(attempt));
        entries.extend(outcome(self));
        if let Some(next) = surroundings.next {
            entries.push(continued_with(next));
        }
        entries.extend(surroundings.deliveries.iter().map(delivery));
        // Entries of the same time stay in the order of their causes.
        entries.sort_by_key(|entry| entry.at);
        entries
    }
}

impl Entry {
    fn new(at: DateTime<Utc>, kind: EntryKind, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { at, kind, provider: None, other: None, code: None, text, amount: None }
    }

    fn of_provider(self, provider: Option<&str>) -> Self {
        Self { provider: provider.map(str::to_owned), ..self }
    }

    fn with_failure(self, code: Option<FailureCode>) -> Self {
        Self { code: code.map(|code| code.as_str().to_owned()), ..self }
    }
}

fn accepted(message: &Message) -> Entry {
    let text = if message.cost > Money::ZERO {
        format!("Accepted, and paid with {}.", message.cost)
    } else if message.is_sandbox {
        "Accepted in the sandbox: it is only simulated, and costs nothing.".to_owned()
    } else {
        "Accepted. It costs nothing.".to_owned()
    };
    let entry = Entry::new(message.created_at, EntryKind::Accepted, text);
    Entry { amount: Some(message.cost), ..entry }
}

fn scheduled(message: &Message) -> Entry {
    let at = message.scheduled_at.unwrap_or(message.valid_from).format("%Y-%m-%d %H:%M UTC");
    let text = match message.scheduled_at {
        Some(_) => format!("Scheduled for {at}."),
        None => format!("Held back until {at}: by its campaign, or by a sending window."),
    };
    Entry::new(message.created_at, EntryKind::Scheduled, text)
}

fn attempt(attempt: &Attempt) -> Entry {
    let provider = &attempt.provider;
    let code = attempt.ended().and_then(|end| end.error_code);
    let result = match attempt.outcome() {
        None => format!("{provider} is called, and has not answered yet"),
        Some(AttemptOutcome::Accepted) => format!("{provider} was called, and took it"),
        Some(AttemptOutcome::Rejected) => format!("{provider} refused it"),
        Some(AttemptOutcome::NotAccepted) => format!("{provider} did not take it"),
        Some(AttemptOutcome::Unknown) => format!("{provider} may have taken it"),
    };
    let text = match code {
        Some(code) => format!("{result}: {}.", code.explanation().event),
        None => format!("{result}."),
    };
    let text = match attempt.omitted {
        0 => text,
        omitted => format!("{text} Attempts before this one that are not listed: {omitted}."),
    };
    let entry = Entry::new(attempt.started_at, EntryKind::Attempt, text);
    entry.of_provider(Some(provider)).with_failure(code)
}

/// Returns the entries since a provider took the message, or since it failed without that.
fn outcome(message: &Message) -> Vec<Entry> {
    let provider = message.provider.as_deref();
    let mut entries = Vec::new();
    if let Some(at) = message.delivery.sent_at() {
        let taker = provider.unwrap_or("a provider");
        let entry = Entry::new(at, EntryKind::HandedOver, format!("Handed over to {taker}."));
        entries.push(entry.of_provider(provider));
    }
    match &message.delivery {
        Delivery::Queued { .. } | Delivery::Pending { .. } | Delivery::Sent { .. } => {}
        Delivery::Unreported { at, failure } => {
            let text = explained("No report", failure.code, message);
            let entry = Entry::new(*at + MAX_FOLLOW_UP, EntryKind::Report, text);
            entries.push(entry.of_provider(provider).with_failure(Some(failure.code)));
        }
        Delivery::Delivered { at, .. } => {
            let text = format!("Delivered: {}.", Status::Delivered.explanation().event);
            entries.push(Entry::new(*at, EntryKind::Report, text).of_provider(provider));
        }
        Delivery::Failed { at, failure, .. } => entries.extend(failed(message, *at, failure)),
    }
    entries
}

fn failed(message: &Message, at: DateTime<Utc>, failure: &Failure) -> Vec<Entry> {
    let was_handed_over = message.delivery.sent_at().is_some();
    let entry = if failure.code == FailureCode::Cancelled {
        Entry::new(at, EntryKind::Cancelled, explained("Cancelled", failure.code, message))
    } else {
        let outcome = if was_handed_over { "Not delivered" } else { "Not sent" };
        Entry::new(at, EntryKind::Report, explained(outcome, failure.code, message))
    };
    let provider = message.provider.as_deref();
    let mut entries = vec![entry.of_provider(provider).with_failure(Some(failure.code))];
    if message.is_refunded() {
        let text = format!("{} was paid back.", message.cost);
        let refund = Entry::new(at, EntryKind::Refunded, text);
        entries.push(Entry { amount: Some(message.cost), ..refund });
    }
    entries
}

/// Returns the sentences on a failure: the event, the payment and the remedy.
fn explained(outcome: &str, code: FailureCode, message: &Message) -> String {
    let Explanation { event, remedy, payment } = code.explanation();
    let is_free = message.delivery.status() == Status::Failed || message.cost == Money::ZERO;
    let payment = if is_free { Payment::Refunded } else { payment };
    format!("{outcome}: {event}. {} {remedy}", payment.sentence())
}

fn continued_from(previous: ChainLink, at: DateTime<Utc>) -> Entry {
    let text = format!(
        "Sent because {} over {} did not succeed, or not in time.",
        previous.message.internal(),
        previous.channel.as_str()
    );
    let (code, entry) = (previous.channel.as_str(), Entry::new(at, EntryKind::Fallback, text));
    Entry { other: Some(previous.message), code: Some(code.to_owned()), ..entry }
}

fn continued_with(next: ChainLink) -> Entry {
    let (channel, id) = (next.channel.as_str(), next.message.internal());
    let text = format!("The next channel of the event is tried: {channel}, with {id}.");
    let entry = Entry::new(next.at, EntryKind::Fallback, text);
    Entry { other: Some(next.message), code: Some(channel.to_owned()), ..entry }
}

fn delivery(delivery: &EventDelivery) -> Entry {
    let answer = match delivery.status_code {
        Some(status) => format!("it answered {status}"),
        None => "it did not answer".to_owned(),
    };
    let text = match (delivery.status, delivery.attempts) {
        (DeliveryRecordStatus::Delivered, _) => format!("Your webhook was called: {answer}."),
        (DeliveryRecordStatus::Pending, 0) => "Your webhook is about to be called.".to_owned(),
        (DeliveryRecordStatus::Pending, _) => {
            format!("Your webhook was called: {answer}. It is called again.")
        }
        (DeliveryRecordStatus::Failed, 0) => "Your webhook was not called.".to_owned(),
        (DeliveryRecordStatus::Failed, _) => {
            format!("Your webhook was called: {answer}. It is not called again.")
        }
    };
    let code = delivery.status_code.map(|status| status.to_string());
    let entry = Entry::new(delivery.at, EntryKind::Webhook, text);
    Entry { code: code.or_else(|| delivery.failure.clone()), ..entry }
}

#[cfg(test)]
mod tests;
