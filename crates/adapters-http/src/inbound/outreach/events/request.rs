//! Requests to make, change and trigger events.

use domain::{
    outreach::{
        event::{EventRequest, EventUpdate},
        trigger::TriggerRequest,
    },
    shared::fault::Faults,
};
use serde_json::{Value, json};
use usecases::{outreach::events::TriggerEvent, platform::limits::RateLimitSlot};

use crate::inbound::shared::{
    endpoint::schemas::{MARK, Schemas},
    json_fields::{Field, Fields, FromFields, field},
};

const NAME: Field = field("name").limits(&[("maxLength", 200)]);
const SLUG: Field = field("slug")
    .about("What programs call the event: 1 to 100 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`. It never changes.")
    .documented_as(slug_schema);
const DESCRIPTION: Field =
    field("description").about("What the event is for.").limits(&[("maxLength", 1_000)]);
const CHANNELS: Field = field("channelPriority")
    .about("The channels in the order in which they are tried; `SMS` if absent.")
    .limits(&[("minItems", 1)]);
const TEMPLATE: Field = field("templateId").about(
    "The template of all channels that have none in `templates`. Of a channel that it is not written for, \
     its text is sent, and by `EMAIL` its subject.",
);
const TEMPLATES: Field = field("templates")
    .extension()
    .about("Templates of single channels: names of channels, and identifiers.")
    .documented_as(templates_schema);
const RETRY: Field = field("retryRules").documented_as(retry_schema);
const FALLBACK: Field = field("fallbackRules").documented_as(fallback_schema);
const ACTIVE: Field = field("isActive").about("Whether it may be triggered; true if absent.");

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
        "description": "How the messages of an event are tried. Other keys are kept.",
        "additionalProperties": true,
        "properties": {
            "maxAttempts": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 100,
                "description": "In how many rounds a provider is called at the most. After that the \
                                message fails; without it the message is tried until it expires.",
            },
            "backoffSeconds": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 3_600,
                "description": "How many seconds pass from one round to the next. A provider may ask \
                                for more.",
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
        "description": "Channels to be tried after the others, and when. Other keys are kept.",
        "additionalProperties": true,
        "properties": {
            "channels": { "type": "array", "items": channel(schemas) },
            "afterSeconds": {
                MARK: true,
                "type": "integer", "minimum": 1, "maximum": 259_200,
                "description": "How many seconds after the acceptance of a message the next channel is \
                                tried, if the message has not got to `untilStatus`. Without it, only \
                                when the message fails.",
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
    const ABOUT: &'static str = "An event to make.";

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
            is_active: fields.optional(ACTIVE.about("Whether it may be triggered.")),
        }
    }

    fn example() -> Value {
        json!({ "name": "Parcel is here", "isActive": false })
    }
}

impl FromFields for TriggerEvent {
    const NAME: &'static str = "TriggerEventRequest";
    const ABOUT: &'static str = "An event that happened. Either `to` or `contactId` is required.";

    fn from_fields(fields: &mut Fields) -> Self {
        let event = field("event").about("The slug of the event.").documented_as(slug_schema);
        let to = field("to").about("A phone number, an email address or a device token.");
        let contact = field("contactId")
            .about("The contact that is to hear of it. Beside `to` it gives its fields only.");
        let variables = field("variables").about("What stands for the placeholders `{{name}}`.");
        let key = field("idempotencyKey")
            .limits(&[("minLength", 1), ("maxLength", 255)])
            .about("Within 24 hours the same request with the same key is answered with the first message.");
        let is_async = field("async")
            .extension()
            .about("Whether the answer comes before the outcome; it does not if absent.");
        Self {
            trigger: TriggerRequest {
                event: fields.required(event),
                to: fields.optional(to),
                contact: fields.optional(contact),
                variables: fields.optional(variables).unwrap_or_default(),
            },
            idempotency_key: fields.optional(key),
            is_async: fields.optional(is_async).unwrap_or_default(),
            faults: Faults::default(),
            tally: RateLimitSlot::default(),
        }
    }

    fn example() -> Value {
        json!({
            "event": "parcel.arrived", "to": "0241234567", "variables": { "name": "Ama" },
            "idempotencyKey": "parcel-4711", "async": true,
        })
    }
}
