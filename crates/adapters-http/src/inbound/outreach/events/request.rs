//! Requests to make, change and trigger events.

use domain::{
    outreach::{
        event::{EventRequest, EventUpdate},
        trigger::TriggerRequest,
    },
    shared::fault::Faults,
};
use serde_json::{Value, json};
use usecases::{outreach::events::TriggerEvent, shared::limits::RateLimitSlot};

use crate::inbound::{
    messaging::messages::request::{METADATA, SANDBOX, SCHEDULED_AT},
    shared::{
        endpoint::schemas::{MARK, Schemas},
        json_fields::{Field, Fields, FromFields, field},
    },
};

const NAME: Field = field("name").limits(&[("maxLength", 200)]);
const SLUG: Field = field("slug")
    .about(
        "The name of the event for programs: 1 to 100 of the characters `a` to `z`, `0` to `9`, \
         `.`, `_` and `-`. It never changes.",
    )
    .documented_as(slug_schema);
const DESCRIPTION: Field =
    field("description").about("The purpose of the event.").limits(&[("maxLength", 1_000)]);
const CHANNELS: Field = field("channelPriority")
    .about("The channels in the order in which they are tried; `SMS` if absent.")
    .limits(&[("minItems", 1)]);
const TEMPLATE: Field = field("templateId").about(
    "The template of all channels that have none in `templates`. On a channel that it is not \
     written for, its text is sent, and for `EMAIL` its subject.",
);
const TEMPLATES: Field = field("templates")
    .extension()
    .about("Templates of single channels: names of channels, and identifiers.")
    .documented_as(templates_schema);
const RETRY: Field = field("retryRules").documented_as(retry_schema);
const FALLBACK: Field = field("fallbackRules").documented_as(fallback_schema);
const SENDER: Field = field("senderId").extension().limits(&[("maxLength", 64)]).about(
    "The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is \
     approved for one of them. Other channels are used without.",
);
const COUNTRY: Field = field("countryCode")
    .extension()
    .about("The country of phone numbers without a calling code; `GH` if absent.");
const ACTIVE: Field = field("isActive").about("True if it may be triggered; true if absent.");

fn slug_schema(_: &mut Schemas) -> Value {
    json!({ "type": "string", "pattern": "^[a-z0-9._-]+$", "maxLength": 100 })
}

fn templates_schema(_: &mut Schemas) -> Value {
    json!({
        "type": "object", "additionalProperties": { "type": "string", "format": "uuid" },
        "example": {},
    })
}

fn retry_schema(schemas: &mut Schemas) -> Value {
    let rules = json!({
        "type": "object",
        "description": "Rules for retries of the messages of an event. Other keys are stored.",
        "additionalProperties": true,
        "properties": {
            "maxAttempts": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 100,
                "description": "The maximum number of rounds of calls to providers. After that the \
                                message fails; if absent, the message is tried until it expires.",
            },
            "backoffSeconds": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 3_600,
                "description": "The number of seconds between two rounds. A provider may request \
                                more.",
            },
        },
        "example": { "maxAttempts": 3, "backoffSeconds": 30 },
    });
    schemas.add("EventRetryRules", rules)
}

fn fallback_schema(schemas: &mut Schemas) -> Value {
    let channel =
        <domain::shared::channel::Channel as crate::inbound::shared::json_fields::JsonSchema>::schema;
    let rules = json!({
        "type": "object",
        "description": "Channels to try after the others, with their conditions. Other keys are \
                        stored.",
        "additionalProperties": true,
        "properties": {
            "channels": { "type": "array", "items": channel(schemas) },
            "afterSeconds": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 259_200,
                "description": "The number of seconds after the acceptance of a message after \
                                which the next channel is tried, if the message has not reached \
                                `untilStatus`. If absent, it is tried only if the message fails.",
            },
            "untilStatus": {
                MARK: true,
                "type": "string", "enum": ["SENT", "DELIVERED"],
                "description": "`DELIVERED` if absent.",
            },
        },
        "example": { "channels": ["EMAIL"], "afterSeconds": 300 },
    });
    schemas.add("EventFallbackRules", rules)
}

impl FromFields for EventRequest {
    const NAME: &'static str = "CreateEventRequest";
    const ABOUT: &'static str = "An event to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.required(NAME),
            slug: fields.required(SLUG),
            description: fields.optional(DESCRIPTION),
            channel_priority: fields.optional(CHANNELS),
            template: fields.optional(TEMPLATE),
            templates: fields.optional(TEMPLATES),
            retry_rules: fields.optional(RETRY),
            fallback_rules: fields.optional(FALLBACK),
            sender: fields.optional(SENDER),
            country: fields.optional(COUNTRY),
            is_active: fields.optional(ACTIVE),
        }
    }

    fn example() -> Value {
        json!({
            "name": "Parcel arrived", "slug": "parcel.arrived", "channelPriority": ["SMS"],
            "fallbackRules": { "channels": ["VOICE"], "afterSeconds": 300 },
        })
    }
}

impl FromFields for EventUpdate {
    const NAME: &'static str = "UpdateEventRequest";
    const ABOUT: &'static str = "Changes to an event.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional(NAME),
            description: fields.change(DESCRIPTION),
            channel_priority: fields.optional(CHANNELS),
            template: fields.change(TEMPLATE),
            templates: fields.change(TEMPLATES),
            retry_rules: fields.change(RETRY),
            fallback_rules: fields.change(FALLBACK),
            sender: fields.change(SENDER),
            country: fields.change(COUNTRY),
            is_active: fields.optional(ACTIVE.about("True if it may be triggered.")),
        }
    }

    fn example() -> Value {
        json!({ "name": "Parcel is here", "isActive": false })
    }
}

impl FromFields for TriggerEvent {
    const NAME: &'static str = "TriggerEventRequest";
    const ABOUT: &'static str = "An event to trigger. Either `to` or `contactId` is required.";

    fn from_fields(fields: &mut Fields) -> Self {
        let event = field("event").about("The slug of the event.").documented_as(slug_schema);
        let to = field("to").about("A phone number, an email address or a device token.");
        let contact = field("contactId")
            .about("The contact to notify. Beside `to`, only its fields and attributes are used.");
        let variables = field("variables").about("Values for the placeholders `{{name}}`.");
        let sender = SENDER.about(
            "The sender on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is \
             approved for one of them; that of the event if absent.",
        );
        let country = COUNTRY.about(
            "The country of a phone number without a calling code; that of the event if absent.",
        );
        let key = field("idempotencyKey")
            .limits(&[("minLength", 1), ("maxLength", 255)])
            .about("Within 24 hours the same request with the same key returns the first message.");
        let is_async = field("async")
            .extension()
            .about("True to get the answer before the outcome; false if absent.");
        Self {
            trigger: TriggerRequest {
                event: fields.required(event),
                to: fields.optional(to),
                contact: fields.optional(contact),
                variables: fields.optional(variables).unwrap_or_default(),
                sender: fields.optional(sender),
                country: fields.optional(country),
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
            "event": "parcel.arrived", "to": "0241234567", "variables": { "name": "Ama" },
            "idempotencyKey": "parcel-4711", "async": true,
        })
    }
}
