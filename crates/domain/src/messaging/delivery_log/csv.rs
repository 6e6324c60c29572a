//! Delivery logs as CSV.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::json;

use crate::{
    messaging::{
        delivery::Failure,
        message::{Message, Metadata, Source},
    },
    shared::{csv::push_line, listed_text},
};

const HEADER: [&str; 29] = [
    "id",
    "internalMessageId",
    "status",
    "channel",
    "recipient",
    "cost",
    "category",
    "segments",
    "subject",
    "body",
    "countryCode",
    "provider",
    "errorCode",
    "errorMessage",
    "isSandbox",
    "createdAt",
    "sentAt",
    "deliveredAt",
    "refunded",
    "senderId",
    "templateId",
    "campaignId",
    "bodyTruncated",
    "metadata",
    "event",
    "contactId",
    "netCost",
    "scheduledAt",
    "resentFrom",
];

/// Returns the line with the names of the columns.
pub fn header() -> String {
    let mut text = String::new();
    push_line(&mut text, HEADER);
    text
}

/// Returns the line of a message, with the beginning of its text as lists show it.
pub fn line(message: Message) -> String {
    let mut text = String::new();
    push_line(&mut text, cells(message).iter().map(String::as_str));
    text
}

fn cells(message: Message) -> [String; HEADER.len()] {
    let (is_refunded, net_cost) = (message.is_refunded(), message.net_cost());
    let campaign = message.source.and_then(Source::campaign);
    let Message { delivery, draft, .. } = message;
    let mut draft = Arc::unwrap_or_clone(draft);
    let is_cut = listed_text::cut(&mut draft.body);
    let failure = delivery.failure();
    [
        message.id.to_string(),
        message.id.internal(),
        delivery.status().to_string(),
        draft.channel.to_string(),
        draft.recipient.as_str().to_owned(),
        message.cost.to_number().to_string(),
        draft.category.to_string(),
        draft.segments.to_string(),
        draft.subject.unwrap_or_default(),
        draft.body,
        draft.country.to_string(),
        message.provider.unwrap_or_default(),
        failure.map(|failure| failure.code.as_str().to_owned()).unwrap_or_default(),
        failure.map(|Failure { message, .. }| message.clone()).unwrap_or_default(),
        message.is_sandbox.to_string(),
        time_text(message.created_at),
        delivery.sent_at().map(time_text).unwrap_or_default(),
        delivery.delivered_at().map(time_text).unwrap_or_default(),
        is_refunded.to_string(),
        draft.sender.unwrap_or_default(),
        draft.template.map(|template| template.to_string()).unwrap_or_default(),
        campaign.map(|campaign| campaign.to_string()).unwrap_or_default(),
        is_cut.to_string(),
        metadata_text(&draft.metadata),
        message.event.unwrap_or_default(),
        message.contact.map(|contact| contact.to_string()).unwrap_or_default(),
        net_cost.to_number().to_string(),
        message.scheduled_at.map(time_text).unwrap_or_default(),
        message.resent_from.map(|failed| failed.to_string()).unwrap_or_default(),
    ]
}

/// Returns metadata as JSON, or nothing if there is none.
fn metadata_text(metadata: &Metadata) -> String {
    if metadata.is_empty() { String::new() } else { json!(metadata).to_string() }
}

fn time_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        identity::organization::PLATFORM,
        messaging::{
            message::{MessageRequest, Terms},
            priority::Origin,
        },
        shared::{channel::Channel, money::Money},
    };

    fn message(body: &str) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some(body.into()),
            ..MessageRequest::default()
        };
        let cost = Money::from_micros(35_000);
        let terms = Terms { cost, refusal: None, is_sandbox: false, is_confidential: false };
        let at = DateTime::from_timestamp_nanos(1_700_000_000_120_456_789);
        Message::queue(PLATFORM, request.draft(None).unwrap(), Origin::Single, terms, at)
    }

    #[test]
    fn a_line_has_a_cell_for_each_column() {
        let line = line(message("Akwaaba"));

        let cells: Vec<_> = line.trim_end().split(',').collect();
        let cell = |name: &str| cells[HEADER.iter().position(|column| *column == name).unwrap()];
        assert_eq!(cells.len(), HEADER.len());
        assert_eq!((cell("recipient"), cell("body")), ("+233241234567", "Akwaaba"));
        assert_eq!((cell("cost"), cell("createdAt")), ("0.035", "2023-11-14T22:13:20.120Z"));
        assert_eq!(header(), HEADER.join(",") + "\r\n");
    }

    #[test]
    fn a_text_is_one_cell_whatever_it_has() {
        let line = line(message("=1, \"2\"\n3"));

        assert!(line.contains(",\"'=1, \"\"2\"\"\n3\","), "{line}");
    }
}
