//! Delivery logs as CSV.

use std::sync::Arc;

use actix_web::web::Bytes;
use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        delivery::Failure as DeliveryFailure,
        message::{Message, Metadata, Source},
    },
    shared::listed_text,
};
use serde_json::json;

use crate::inbound::shared::{csv, error::ApiError, formats::Timestamp};

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

/// Returns the header as a line of text.
pub(super) fn header() -> String {
    HEADER.join(",") + "\r\n"
}

/// Returns the header and the first rows.
pub(super) fn beginning(messages: Vec<Message>) -> Result<Bytes, ApiError> {
    csv::beginning(&HEADER, messages.into_iter().map(row))
}

/// Returns further rows.
pub(super) fn rows(messages: Vec<Message>) -> Result<Bytes, ApiError> {
    csv::rows(messages.into_iter().map(row))
}

fn row(message: Message) -> [String; HEADER.len()] {
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
        failure.map(|DeliveryFailure { message, .. }| message.clone()).unwrap_or_default(),
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
    Timestamp::from(at).text()
}
