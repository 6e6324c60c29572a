//! The section `webhooks` of the document: calls that the service makes by itself.

use domain::{audience::import::ImportKind, shared::webhook_event::WebhookEvent};
use serde_json::{Map, Value, json};

use super::examples;
use crate::inbound::{
    content::templates::view::TemplateView, messaging::messages::MessageView,
    money::top_ups::ListedTopUpView, outreach::campaigns::CampaignView,
    shared::endpoint::schemas::Schemas,
};

/// Description that all events share: calls, signatures, retries.
const CALLS: &str = "\
Sent to each active endpoint of the organization that is subscribed to this event (`POST \
/webhook-endpoints`). An event has the same `id` and the same bytes in every attempt.

**Signature.** `X-Service-Signature` is the lowercase hex HMAC-SHA256 of the raw body; the key is the whole \
secret as it was shown, with `whsec_`. Compare in constant time, before parsing. `webhook-id`, \
`webhook-timestamp` and `webhook-signature` are those of [Standard \
Webhooks](https://www.standardwebhooks.com), whose libraries accept the secret as it is; they also cover the \
time.

**Answer.** Any 2xx within 15 seconds is success; redirects are not followed; 410 deactivates the endpoint. \
An event may be sent twice: keep the `id`s of a day or two.

**Retries.** After 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each up to a tenth longer; a longer \
`Retry-After` is respected, up to a day. An endpoint that has failed for five days is deactivated; missed \
events can be recovered with `POST /webhook-endpoints/{id}/recover`.";

/// Returns the section, and adds the schemas of the events.
pub(super) fn section(schemas: &mut Schemas) -> Value {
    let mut section = Map::new();
    for event in WebhookEvent::ALL {
        let documentation = documentation(event, schemas);
        let body = body(event, &documentation, schemas);
        let description = format!("{}\n\n{CALLS}", documentation.about);
        let call = json!({
            "operationId": documentation.operation,
            "tags": ["Webhooks"],
            "summary": documentation.summary,
            "description": description,
            "parameters": headers(event),
            "requestBody": { "required": true, "content": { "application/json": body } },
            "responses": { "2XX": { "description": "The event was received." } },
            "security": [],
        });
        section.insert(event.as_str().to_owned(), json!({ "post": call }));
    }
    Value::Object(section)
}

/// Documentation of the call about an event.
struct EventCall {
    operation: &'static str,
    summary: &'static str,
    about: &'static str,
    data: Value,
}

fn documentation(event: WebhookEvent, schemas: &mut Schemas) -> EventCall {
    let (operation, summary, about) = texts(event);
    EventCall { operation, summary, about, data: data(event, schemas) }
}

/// Returns the name of the operation, its summary, and the particulars of the event.
const fn texts(event: WebhookEvent) -> (&'static str, &'static str, &'static str) {
    match event {
        WebhookEvent::MessageStatusUpdated => (
            "onMessageStatusUpdated",
            "The delivery status of a message changed.",
            "Published when a message is `SENT`, `DELIVERED` or `FAILED`, also in the sandbox. \
             `data` is the delivery log.",
        ),
        WebhookEvent::ContactOptedOut => (
            "onContactOptedOut",
            "A recipient opted out.",
            "Published when a recipient writes STOP, complains or unsubscribes; not for entries of \
             members.",
        ),
        WebhookEvent::CampaignCompleted => (
            "onCampaignCompleted",
            "A campaign finished.",
            "Published once, when the last message of a campaign was handed to a provider or given \
             up. `data` is the campaign.",
        ),
        WebhookEvent::CampaignStarted => (
            "onCampaignStarted",
            "A campaign started.",
            "Published once, when the audience of a campaign is fixed and its first messages \
             follow. `data` is the campaign.",
        ),
        WebhookEvent::ImportCompleted => (
            "onImportCompleted",
            "An import finished.",
            "Published once, when all rows of a file are processed. `data` is the import, with the \
             `kind` of its rows and without its `errors`.",
        ),
        WebhookEvent::TemplateApproved => (
            "onTemplateApproved",
            "A template was approved.",
            "Published when an administrator of the platform approves a template. `data` is the \
             template.",
        ),
        WebhookEvent::TemplateRejected => (
            "onTemplateRejected",
            "A template was rejected.",
            "Published when an administrator of the platform rejects a template. `data` is the \
             template, with the `comment` of the administrator.",
        ),
        WebhookEvent::WalletLow => (
            "onWalletLow",
            "The balance of the wallet is low.",
            "Published within a minute after the balance fell below the setting \
             `lowBalanceThreshold`; again when it has risen to the threshold and falls another \
             time. `data` is the wallet.",
        ),
        WebhookEvent::TopUpCompleted => (
            "onTopUpCompleted",
            "A top-up was credited.",
            "Published once, when a payment through the gateway is in the wallet. `data` is the \
             top-up.",
        ),
    }
}

/// Returns a reference to the schema of the event's data.
fn data(event: WebhookEvent, schemas: &mut Schemas) -> Value {
    match event {
        WebhookEvent::MessageStatusUpdated => schemas.of_answer::<MessageView>(),
        WebhookEvent::ContactOptedOut => schemas.add("OptedOut", opted_out()),
        WebhookEvent::CampaignCompleted | WebhookEvent::CampaignStarted => {
            schemas.of_answer::<CampaignView>()
        }
        WebhookEvent::ImportCompleted => schemas.add("CompletedImport", completed_import()),
        WebhookEvent::TemplateApproved | WebhookEvent::TemplateRejected => {
            schemas.of_answer::<TemplateView>()
        }
        WebhookEvent::WalletLow => schemas.add("LowWallet", low_wallet()),
        WebhookEvent::TopUpCompleted => schemas.of_answer::<ListedTopUpView>(),
    }
}

fn opted_out() -> Value {
    json!({
        "type": "object",
        "description": "A recipient who opted out of a channel.",
        "required": ["contactId", "channel", "source"],
        "properties": {
            "contactId": {
                "type": ["string", "null"], "format": "uuid",
                "description": "The contact with the address, if there is one.",
                "example": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b",
            },
            "channel": { "$ref": "#/components/schemas/Channel" },
            "phone": { "type": "string", "example": "+233241234567" },
            "email": { "type": "string", "format": "email" },
            "source": { "$ref": "#/components/schemas/SuppressionSource" },
        },
        "example": {
            "contactId": null, "channel": "SMS", "phone": "+233241234567", "source": "STOP",
        },
    })
}

fn completed_import() -> Value {
    let kinds = ImportKind::ALL.map(ImportKind::as_str);
    json!({
        "description": "An import whose rows are all processed.",
        "allOf": [
            { "$ref": "#/components/schemas/Import" },
            {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {
                        "type": "string", "enum": kinds, "example": kinds[0],
                        "description": "The kind of the rows.",
                    },
                },
            },
        ],
    })
}

fn low_wallet() -> Value {
    json!({
        "type": "object",
        "description": "A wallet whose balance fell below the threshold of its organization.",
        "required": ["balance", "currency", "lowBalanceThreshold", "updatedAt"],
        "properties": {
            "balance": { "type": "number", "example": 4.2 },
            "currency": { "type": "string", "example": "GHS" },
            "lowBalanceThreshold": {
                "type": "number", "example": 5.0,
                "description": "The setting `lowBalanceThreshold` of the organization.",
            },
            "updatedAt": {
                "type": "string", "format": "date-time",
                "description": "The time of the last change.",
            },
        },
    })
}

/// Returns the body of a call, whose schema is named after its operation.
fn body(event: WebhookEvent, call: &EventCall, schemas: &mut Schemas) -> Value {
    let EventCall { operation, summary, ref data, .. } = *call;
    let text = |format: &str| json!({ "type": "string", "format": format });
    let schema = json!({
        "type": "object",
        "description": summary,
        "required": ["id", "event", "createdAt", "organizationId", "data"],
        "properties": {
            "id": text("uuid"),
            "event": {
                "type": "string", "const": event.as_str(), "example": event.as_str(),
            },
            "createdAt": text("date-time"),
            "organizationId": text("uuid"),
            "data": data,
        },
    });
    let example = json!({
        "id": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b",
        "event": event.as_str(),
        "createdAt": "2026-01-31T09:00:03.120Z",
        "organizationId": "019a5b8e-0000-7d10-a4c3-e5f708192a3b",
        "data": examples::of(data, schemas),
    });
    let name = format!("{}Event", operation.strip_prefix("on").unwrap_or(operation));
    json!({ "schema": schemas.add(&name, schema), "example": example })
}

fn headers(event: WebhookEvent) -> Value {
    let header = |name: &str, about: &str, example: &str| {
        json!({
            "name": name, "in": "header", "required": true, "description": about,
            "schema": { "type": "string" }, "example": example,
        })
    };
    json!([
        header("X-Service-Event", "The name of the event.", event.as_str()),
        header(
            "X-Service-Signature",
            "The lowercase hex HMAC-SHA256 of the body.",
            "2f6f8a3c0d2e4b5f9d6a7c8e1b3f5a7092c4e6d8fa1b3c5d7e9f0a2b4c6d8e0f",
        ),
        header("webhook-id", "The `id` of the event.", "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b"),
        header(
            "webhook-timestamp",
            "The time of this attempt, in seconds since 1970.",
            "1769850003"
        ),
        header(
            "webhook-signature",
            "`v1,` and the signature of Standard Webhooks; for a day after a rotation two of them, \
             separated by a space.",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        ),
    ])
}
