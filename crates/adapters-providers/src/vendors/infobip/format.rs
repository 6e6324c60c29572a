//! Requests and responses of Infobip.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize)]
pub(super) struct SendRequest<'a> {
    pub(super) messages: [Envelope<'a>; 1],
}

/// One text for all its destinations.
#[derive(Serialize)]
pub(super) struct Envelope<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    destinations: Vec<Destination>,
    content: Content<'a>,
    options: Options,
    webhooks: Webhooks<'a>,
}

#[derive(Serialize)]
pub(super) struct Destination {
    pub(super) to: String,
    #[serde(rename = "messageId")]
    pub(super) id: String,
}

#[derive(Serialize)]
struct Content<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    validity_period: Validity,
}

/// Time for which delivery of a text may be tried.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Validity {
    amount: i64,
    time_unit: &'static str,
}

impl Validity {
    /// Caps the time at the vendor's limit.
    pub(super) fn of(seconds: i64) -> Self {
        Self { amount: seconds.min(48 * 3_600), time_unit: "SECONDS" }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Webhooks<'a> {
    delivery: Delivery<'a>,
    content_type: &'a str,
}

#[derive(Serialize)]
struct Delivery<'a> {
    url: &'a str,
}

impl<'a> Envelope<'a> {
    pub(super) fn new(
        sender: Option<&'a str>,
        destinations: Vec<Destination>,
        text: &'a str,
        validity: Validity,
        callback: &'a str,
    ) -> Self {
        let delivery = Delivery { url: callback };
        let webhooks = Webhooks { delivery, content_type: "application/json" };
        let options = Options { validity_period: validity };
        Self { sender, destinations, content: Content { text }, options, webhooks }
    }
}

/// Response to texts.
#[derive(Deserialize)]
pub(super) struct SendResponse {
    pub(super) messages: Vec<Entry>,
}

/// Body of logs and callbacks: each result is an [`Entry`] or an inbound message.
#[derive(Deserialize)]
pub(super) struct Results {
    pub(super) results: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) message_id: Option<String>,
    pub(super) status: Status,
    pub(super) error: Option<Error>,
    pub(super) sent_at: Option<String>,
    pub(super) done_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    #[serde(default)]
    pub(super) id: i64,
    pub(super) group_name: String,
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct Error {
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Deserialize, Default)]
pub(super) struct Balance {
    #[serde(default)]
    pub(super) balance: Value,
    #[serde(default)]
    pub(super) currency: String,
}
