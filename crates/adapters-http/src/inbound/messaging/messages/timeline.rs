//! A message with its timeline in answers.

use domain::{
    messaging::{
        message::Message,
        timeline::{Entry, EntryKind},
    },
    shared::money::Money,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::MessageView;
use crate::inbound::shared::formats::{Names, Timestamp, Vocabulary};

/// Kinds of entries in timelines.
type EntryKindName = Names<EntryKind>;

/// Message, with the state of its delivery and its timeline.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryLogDetail)]
pub(super) struct MessageDetailView {
    #[serde(flatten)]
    message: MessageView,
    /// Extension: what happened to it, oldest first. The calls of webhooks are shown to those who may
    /// read the webhook endpoints; some are missing if the organization has very many events.
    timeline: Vec<EntryView>,
}

/// Entry of a timeline.
#[derive(Serialize, ToSchema)]
#[schema(as = TimelineEntry, example = json!({
    "at": "2026-01-31T09:00:03.000Z", "kind": "REPORT", "provider": "sms-ghana", "code": null,
    "text": "Delivered: the provider confirmed that it arrived.", "amount": null,
}))]
struct EntryView {
    at: Timestamp,
    #[schema(value_type = EntryKindName)]
    kind: &'static str,
    /// Provider that it is about.
    provider: Option<String>,
    /// Reason for programs: the `FailureCode`; the other channel of a `FALLBACK`; the HTTP status of
    /// a `WEBHOOK`, or the reason for which it did not answer.
    code: Option<String>,
    /// Sentence for people, which may change.
    text: String,
    /// Amount paid or paid back, in GHS.
    amount: Option<f64>,
}

impl MessageDetailView {
    /// Returns a message with its timeline.
    pub(super) fn of(message: Message, timeline: Vec<Entry>) -> Self {
        let timeline = timeline.into_iter().map(EntryView::from).collect();
        Self { message: message.into(), timeline }
    }
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        Self {
            at: entry.at.into(),
            kind: entry.kind.as_str(),
            provider: entry.provider,
            code: entry.code,
            text: entry.text,
            amount: entry.amount.map(Money::to_number),
        }
    }
}

impl Vocabulary for EntryKind {
    const TITLE: &'static str = "TimelineEntryKind";
    const DESCRIPTION: &'static str = "\
The kind of an entry in the timeline of a message.
- `ACCEPTED`: the message was accepted and paid for.
- `SCHEDULED`: it was to wait for a time.
- `ATTEMPT`: a provider was called.
- `HANDED_OVER`: a provider took it.
- `REPORT`: its outcome became known, or is no longer waited for.
- `FALLBACK`: another channel of its event is tried after it, or was tried before.
- `REFUNDED`: its cost was paid back.
- `CANCELLED`: it was cancelled.
- `WEBHOOK`: a webhook was called for it.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}
