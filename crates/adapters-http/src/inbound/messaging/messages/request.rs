//! Requests to send messages.

use domain::{
    messaging::message::MessageRequest,
    shared::{country::Country, fault::Faults},
};
use serde_json::{Value, json};
use usecases::{
    messaging::{
        messages::{SendBulk, SendMessage},
        scheduled_messages::MoveMessage,
    },
    shared::limits::RateLimitSlot,
};

use crate::inbound::shared::json_fields::{Field, Fields, FromFields, field};

const CHANNEL: Field = field("channel");
const TO: Field = field("to")
    .about("A phone number, an email address or a device token, depending on the channel.");
const TEMPLATE: Field =
    field("templateId").about("An approved template of the same channel, which provides the text.");
const VARIABLES: Field = field("variables").about(
    "Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in total. \
     They are escaped in an HTML body.",
);
const CATEGORY: Field = field("category").extension().about(
    "The category of the message, `TRANSACTIONAL` if absent; a template's own category takes \
     precedence.",
);
const FORMAT: Field = field("format").extension().about(
    "The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent it is \
     HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE html` or \
     has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`, `</strong>`, \
     `</b>` before placeholders are filled. A template's own format takes precedence. In HTML the \
     values of placeholders are escaped.",
);
const SENDER: Field = field("senderId").limits(&[("maxLength", 64)]).about(
    "The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits and \
     spaces, or a number.",
);
const VALIDITY: Field =
    field("validityPeriod").extension().limits(&[("minimum", 60), ("maximum", 259_200)]).about(
        "The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600 for \
         `ALERT` and 86400 for all others. At most 3600 for `OTP`.",
    );
pub(in crate::inbound) const METADATA: Field = field("metadata").extension().about(
    "Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, \
     values of at most 500. They are not sent; the log and webhooks show them.",
);
pub(in crate::inbound) const SANDBOX: Field = field("isSandbox").extension().about(
    "True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. \
     With an API key it must agree with the mode of the key.",
);
pub(in crate::inbound) const SCHEDULED_AT: Field = field("scheduledAt").extension().about(
    "The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once \
     if absent. It is paid for now. The suppression list, the approval of the template and sending \
     windows are looked at again when it is due. Not for codes (`OTP`).",
);
const KEY: Field = field("idempotencyKey").limits(&[("minLength", 1), ("maxLength", 255)]);

impl FromFields for SendMessage {
    const NAME: &'static str = "SendMessageRequest";
    const ABOUT: &'static str = "A message to send.";

    fn from_fields(fields: &mut Fields) -> Self {
        let body = field("body").about("The text. Required without a template.");
        let subject = field("subject").about(
            "The subject line. On channels without one it is logged and not sent; an EMAIL without \
             one is sent with `(no subject)`.",
        );
        let country = field("countryCode")
            .about("The country of phone numbers without a calling code; `GH` if absent.");
        let is_async =
            field("async").about("True to get the answer before the outcome; false if absent.");
        let key = KEY
            .about("Within 24 hours the same request with the same key returns the first message.");
        Self {
            message: MessageRequest {
                channel: fields.required(CHANNEL),
                to: fields.required(TO),
                body: fields.optional(body),
                subject: fields.optional(subject),
                format: fields.optional(FORMAT),
                sender: fields.optional(SENDER.extension()),
                country: fields.optional(country),
                template: fields.optional(TEMPLATE),
                variables: fields.optional(VARIABLES).unwrap_or_default(),
                category: fields.optional(CATEGORY),
                validity: fields.optional::<i32>(VALIDITY).map(i64::from),
                metadata: fields.optional(METADATA).unwrap_or_default(),
                scheduled_at: fields.optional(SCHEDULED_AT),
            },
            idempotency_key: fields.optional(key),
            is_async: fields.optional(is_async).unwrap_or_default(),
            is_sandbox: fields.optional(SANDBOX),
            faults: Faults::default(),
            rate_limit: RateLimitSlot::default(),
        }
    }

    fn example() -> Value {
        json!({
            "channel": "SMS", "to": "0241234567",
            "body": "Hello {{name}}, your parcel has arrived.", "variables": { "name": "Ama" },
            "idempotencyKey": "parcel-4711", "async": true,
        })
    }
}

impl FromFields for SendBulk {
    const NAME: &'static str = "SendBulkRequest";
    const ABOUT: &'static str = "Messages to send: all or none, unless `partial` is true.";

    fn from_fields(fields: &mut Fields) -> Self {
        let country = field("countryCode").about(
            "The country of phone numbers without a calling code, in all messages; `GH` if absent.",
        );
        let is_async =
            field("async").about("True to get the answer before the outcomes; false if absent.");
        let is_partial = field("partial").extension().about(
            "True to accept the valid messages if others are not; false if absent. The place of a \
             wrong message in the answer says what is wrong with it.",
        );
        let key = KEY.extension().about(
            "Within 24 hours the same request with the same key returns the first messages.",
        );
        let messages = field("messages").limits(&[("minItems", 1), ("maxItems", 100)]);
        let country: Option<Country> = fields.optional(country);
        let items = fields.items(messages).into_iter();
        Self {
            messages: items
                .map(|BulkItem(message)| MessageRequest { country, ..message })
                .collect(),
            scheduled_at: fields.optional(SCHEDULED_AT),
            idempotency_key: fields.optional(key),
            is_async: fields.optional(is_async).unwrap_or_default(),
            is_partial: fields.optional(is_partial).unwrap_or_default(),
            is_sandbox: fields.optional(SANDBOX),
            faults: Faults::default(),
            rate_limit: RateLimitSlot::default(),
        }
    }

    fn example() -> Value {
        json!({
            "messages": [
                { "channel": "SMS", "to": "0241234567", "body": "Your parcel has arrived." },
                { "channel": "EMAIL", "to": "ama@example.com", "body": "Hello {{name}}!",
                  "variables": { "name": "Ama" }, "subject": "Your parcel" },
            ],
            "async": true,
        })
    }
}

/// Message of a bulk request. All of them share a country.
struct BulkItem(MessageRequest);

impl FromFields for BulkItem {
    const NAME: &'static str = "BulkItemRequest";
    const ABOUT: &'static str = "One message of several.";

    fn from_fields(fields: &mut Fields) -> Self {
        let body = field("body").about("The text. A template's text takes precedence.");
        let subject = field("subject")
            .extension()
            .about("The subject line. On channels without one it is logged and not sent.");
        Self(MessageRequest {
            channel: fields.required(CHANNEL),
            to: fields.required(TO),
            body: fields.required(body),
            subject: fields.optional(subject),
            format: fields.optional(FORMAT),
            sender: fields.optional(SENDER),
            country: None,
            template: fields.optional(TEMPLATE),
            variables: fields.optional(VARIABLES).unwrap_or_default(),
            category: fields.optional(CATEGORY),
            validity: fields.optional::<i32>(VALIDITY).map(i64::from),
            metadata: fields.optional(METADATA).unwrap_or_default(),
            scheduled_at: fields.optional(SCHEDULED_AT),
        })
    }
}

impl FromFields for MoveMessage {
    const NAME: &'static str = "MoveMessageRequest";
    const ABOUT: &'static str = "Another time for a scheduled message.";

    fn from_fields(fields: &mut Fields) -> Self {
        let about = SCHEDULED_AT.about(
            "The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days \
             after it was accepted.",
        );
        Self { scheduled_at: fields.required(about), faults: Faults::default() }
    }

    fn example() -> Value {
        json!({ "scheduledAt": "2026-01-31T09:00:00Z" })
    }
}
