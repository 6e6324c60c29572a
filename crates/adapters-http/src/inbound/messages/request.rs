//! Requests to send messages.

use std::collections::BTreeMap;

use domain::{
    category::Category, channel::Channel, country::Country, fault::Faults, id::Id,
    message::Composition, template::Template,
};
use usecases::messages::{SendBulk, SendMessage};
use utoipa::ToSchema;

use crate::inbound::{
    form::{Fields, FromFields},
    wire::{CategoryName, ChannelName},
};

/// A message to send.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({
        "channel": "SMS", "to": "0241234567", "body": "Hello {{name}}, your parcel has arrived.",
        "variables": { "name": "Ama" }, "idempotencyKey": "parcel-4711", "async": true,
    }),
)]
pub(super) struct SendMessageRequest {
    #[schema(value_type = ChannelName)]
    channel: Option<Channel>,
    /// A phone number, an email address or a device token, as the channel demands.
    #[schema(value_type = String)]
    to: Option<String>,
    /// The text. Required unless a template gives one.
    body: Option<String>,
    /// The subject line. Channels without one keep it in the log and do not send it; an EMAIL without
    /// one goes out as `(no subject)`.
    subject: Option<String>,
    /// The country whose phone numbers may be written without calling code.
    #[schema(value_type = Option<String>, default = "GH")]
    country_code: Option<Country>,
    /// An approved template of the same channel that gives the text.
    #[schema(value_type = Option<Uuid>)]
    template_id: Option<Id<Template>>,
    /// What stands for the placeholders `{{name}}`.
    variables: Option<BTreeMap<String, String>>,
    /// Within 24 hours the same request with the same key is answered with the first message.
    #[schema(min_length = 1, max_length = 255)]
    pub(super) idempotency_key: Option<String>,
    /// Whether the answer comes before the outcome.
    #[schema(rename = "async", default = false)]
    is_async: Option<bool>,
    /// Extension: what the message is about; a template's own category wins.
    #[schema(value_type = Option<CategoryName>, default = "TRANSACTIONAL")]
    category: Option<Category>,
    /// Extension: the sender to show, where the provider allows it. Of an SMS: 1 to 11 letters, digits
    /// and spaces, or a number.
    #[schema(max_length = 64)]
    sender_id: Option<String>,
    /// Extension: for how many seconds the message is worth sending. Without it 600 for `OTP`, 3600
    /// for `ALERT` and 86400 for all others.
    #[schema(minimum = 60, maximum = 259_200)]
    validity_period: Option<i32>,
}

/// Messages to send, all or none.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({
        "messages": [
            { "channel": "SMS", "to": "0241234567", "body": "Your parcel has arrived." },
            { "channel": "EMAIL", "to": "ama@example.com", "body": "Hello {{name}}!",
              "variables": { "name": "Ama" }, "subject": "Your parcel" },
        ],
        "async": true,
    }),
)]
pub(super) struct SendBulkRequest {
    #[schema(min_items = 1, max_items = 100)]
    messages: Vec<BulkItemRequest>,
    /// Whether the answer comes before the outcomes.
    #[schema(rename = "async", default = false)]
    is_async: Option<bool>,
    /// The country whose phone numbers may be written without calling code, in all messages.
    #[schema(value_type = Option<String>, default = "GH")]
    country_code: Option<Country>,
    /// Extension: within 24 hours the same request with the same key is answered with the first
    /// messages.
    #[schema(min_length = 1, max_length = 255)]
    pub(super) idempotency_key: Option<String>,
}

/// One message of several.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
struct BulkItemRequest {
    #[schema(value_type = ChannelName)]
    channel: Option<Channel>,
    /// A phone number, an email address or a device token, as the channel demands.
    #[schema(value_type = String)]
    to: Option<String>,
    /// The text. A template's text comes first.
    #[schema(value_type = String)]
    body: Option<String>,
    /// What stands for the placeholders `{{name}}`.
    variables: Option<BTreeMap<String, String>>,
    /// The sender to show, where the provider allows it. Of an SMS: 1 to 11 letters, digits and
    /// spaces, or a number.
    #[schema(max_length = 64)]
    sender_id: Option<String>,
    /// An approved template of the same channel that gives the text.
    #[schema(value_type = Option<Uuid>)]
    template_id: Option<Id<Template>>,
    /// Extension: what the message is about; a template's own category wins.
    #[schema(value_type = Option<CategoryName>, default = "TRANSACTIONAL")]
    category: Option<Category>,
    /// Extension: the subject line. Channels without one keep it in the log and do not send it.
    subject: Option<String>,
    /// Extension: for how many seconds the message is worth sending. Without it 600 for `OTP`, 3600
    /// for `ALERT` and 86400 for all others.
    #[schema(minimum = 60, maximum = 259_200)]
    validity_period: Option<i32>,
}

impl FromFields for SendMessageRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            channel: fields.parsed("channel"),
            to: fields.optional("to"),
            body: fields.optional("body"),
            subject: fields.optional("subject"),
            country_code: fields.parsed("countryCode"),
            template_id: fields.parsed("templateId"),
            variables: fields.optional("variables"),
            idempotency_key: fields.optional("idempotencyKey"),
            is_async: fields.optional("async"),
            category: fields.parsed("category"),
            sender_id: fields.optional("senderId"),
            validity_period: fields.optional("validityPeriod"),
        }
    }
}

impl SendMessageRequest {
    /// What the use case is to do; `found` is what is already known to be wrong.
    pub(super) fn command(self, found: Faults) -> SendMessage {
        SendMessage {
            message: Composition {
                channel: self.channel,
                to: self.to,
                body: self.body,
                subject: self.subject,
                sender: self.sender_id,
                country: self.country_code,
                template: self.template_id,
                variables: self.variables.unwrap_or_default(),
                category: self.category,
                validity: self.validity_period.map(i64::from),
            },
            idempotency_key: None,
            is_async: self.is_async.unwrap_or_default(),
            faults: found,
        }
    }
}

impl FromFields for SendBulkRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            messages: fields.items("messages"),
            is_async: fields.optional("async"),
            country_code: fields.parsed("countryCode"),
            idempotency_key: fields.optional("idempotencyKey"),
        }
    }
}

impl SendBulkRequest {
    /// What the use case is to do; `found` is what is already known to be wrong.
    pub(super) fn command(self, found: Faults) -> SendBulk {
        let country = self.country_code;
        SendBulk {
            messages: self.messages.into_iter().map(|item| item.composition(country)).collect(),
            idempotency_key: None,
            is_async: self.is_async.unwrap_or_default(),
            faults: found,
        }
    }
}

impl FromFields for BulkItemRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            channel: fields.parsed("channel"),
            to: fields.optional("to"),
            body: fields.optional("body"),
            variables: fields.optional("variables"),
            sender_id: fields.optional("senderId"),
            template_id: fields.parsed("templateId"),
            category: fields.parsed("category"),
            subject: fields.optional("subject"),
            validity_period: fields.optional("validityPeriod"),
        }
    }
}

impl BulkItemRequest {
    fn composition(self, country: Option<Country>) -> Composition {
        Composition {
            channel: self.channel,
            to: self.to,
            body: self.body,
            subject: self.subject,
            sender: self.sender_id,
            country,
            template: self.template_id,
            variables: self.variables.unwrap_or_default(),
            category: self.category,
            validity: self.validity_period.map(i64::from),
        }
    }
}
