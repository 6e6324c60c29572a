//! `/webhook-endpoints`

mod records;
mod test_calls;

use actix_web::web::Data;
use domain::webhooks::{
    outbound_event::WebhookEvent,
    webhook::{
        Deactivation, PreviousSecret, WebhookEndpoint, WebhookEndpointRequest,
        WebhookEndpointUpdate,
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, Endpoint, delete, get, patch, post},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

const MISSING: &str = "There is no such endpoint: `NOT_FOUND`.";
const NO_ROOM: &str = "There are 20 active endpoints already, or 100 in all: \
     `WEBHOOK_ENDPOINT_LIMIT_REACHED`.";

pub(super) fn area() -> Area {
    let mut endpoints = endpoints();
    endpoints.extend(records::endpoints());
    endpoints.push(test_calls::endpoint());
    Area { name: "Webhooks", about: "Where organizations are told what happened.", endpoints }
}

fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/webhook-endpoints", "listWebhookEndpoints", list)
            .summary("List webhook endpoints.")
            .description(
                "Newest first, with those that are deactivated. For owners, administrators and \
                 developers.",
            )
            .answers("The endpoints, without their secrets."),
        post("/webhook-endpoints", "createWebhookEndpoint", create)
            .summary("Make a webhook endpoint.")
            .description(
                "It is told what happens from one second later on. An organization has at most 20 \
                 active endpoints, and 100 with those that are deactivated. What is sent there is \
                 signed with the secret, which is in this answer and never again: how, and what comes, is \
                 told with each event under `webhooks` in this document.",
            )
            .answers("The endpoint with its secret, once.")
            .fails(400, "`URL_REQUIRED`, `VALIDATION_ERROR`, or `ORGANIZATION_REQUIRED`.")
            .fails(409, NO_ROOM),
        patch("/webhook-endpoints/{id}", "updateWebhookEndpoint", update)
            .summary("Change a webhook endpoint.")
            .description(
                "One that is activated again is told what happens from one second later on. What it \
                 missed, and what had failed, can be recovered.",
            )
            .answers("The endpoint as it is now.")
            .fails(404, MISSING)
            .fails(
                409,
                "There are 20 active endpoints already: `WEBHOOK_ENDPOINT_LIMIT_REACHED`. Or what was \
                 to be delivered before it was deactivated is still being ended: \
                 `WEBHOOK_ENDPOINT_BUSY`.",
            ),
        delete("/webhook-endpoints/{id}", "deleteWebhookEndpoint", remove)
            .summary("Deactivate a webhook endpoint.")
            .description(
                "Nothing more is told there, and deliveries that were still to be made are \
                 `FAILED`. It stays in the list, and can be activated again, for 25 months.",
            )
            .answers("The endpoint as it is now.")
            .fails(404, MISSING),
        post("/webhook-endpoints/{id}/rotate-secret", "rotateWebhookSecret", rotate)
            .extension()
            .summary("Give a webhook endpoint another secret.")
            .description(
                "The one before signs too for 24 hours: `webhook-signature` has both signatures, \
                 `X-Service-Signature` that of the new secret. Of several rotations in a day the \
                 newest two secrets sign.",
            )
            .answers("The endpoint with its new secret, once.")
            .fails(404, MISSING),
    ]
}

impl Identified for WebhookEndpoint {
    const NAME: &'static str = "webhook endpoint";
}

/// What webhooks tell.
type EventName = Names<WebhookEvent>;

impl Vocabulary for WebhookEvent {
    const TITLE: &'static str = "WebhookEvent";
    const DESCRIPTION: &'static str = "What webhooks tell.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

type DeactivationName = Names<Deactivation>;

impl Vocabulary for Deactivation {
    const TITLE: &'static str = "WebhookDeactivation";
    const DESCRIPTION: &'static str = "Why the service deactivated a webhook endpoint.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const URL: Field = field("url")
    .about("Where it is called: by https, in development also by http. It must lead to a public address.")
    .format("uri")
    .limits(&[("maxLength", 2_048)]);
const EVENTS: Field = field("events").about(
    "What it is told; everything, also what comes to be told later, if absent, null or empty.",
);

impl FromFields for WebhookEndpointRequest {
    const NAME: &'static str = "CreateWebhookEndpointRequest";
    const ABOUT: &'static str = "An address at which an organization is to be told what happens.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { url: fields.required(URL).unwrap_or_default(), events: fields.optional(EVENTS) }
    }

    fn example() -> Value {
        json!({
            "url": "https://hooks.kente.example/atumpan", "events": ["message.status.updated"],
        })
    }
}

impl FromFields for WebhookEndpointUpdate {
    const NAME: &'static str = "UpdateWebhookEndpointRequest";
    const ABOUT: &'static str = "Changes of a webhook endpoint. What is absent stays as it is.";

    fn from_fields(fields: &mut Fields) -> Self {
        let is_active = field("isActive").about("Whether it is told anything.");
        Self {
            url: fields.optional(URL),
            events: fields.change(EVENTS),
            is_active: fields.optional(is_active),
        }
    }

    fn example() -> Value {
        json!({ "isActive": false })
    }
}

/// An address at which an organization is told what happens.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpoint)]
#[serde(rename_all = "camelCase")]
struct WebhookEndpointView {
    id: Uuid,
    #[schema(example = "https://hooks.kente.example/atumpan")]
    url: String,
    /// What it is told.
    #[schema(value_type = Vec<EventName>)]
    events: Vec<&'static str>,
    /// Extension: whether that is everything, also what comes to be told later.
    all_events: bool,
    /// Whether it is told anything.
    is_active: bool,
    /// Extension: why the service deactivated it, if it did.
    #[schema(value_type = Option<DeactivationName>)]
    deactivation: Option<&'static str>,
    /// Extension: since when every call has failed, if the last one did.
    failing_since: Option<Timestamp>,
    /// Extension: until when the secret before the present one signs too, or did.
    previous_secret_until: Option<Timestamp>,
    created_at: Timestamp,
}

/// A webhook endpoint with a secret that was just made.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointWithSecret)]
struct WithSecretView {
    #[serde(flatten)]
    about: WebhookEndpointView,
    /// What signs. It is shown this once.
    #[schema(example = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3")]
    secret: String,
}

impl From<WebhookEndpoint> for WebhookEndpointView {
    fn from(endpoint: WebhookEndpoint) -> Self {
        let told = endpoint.subscribed_events();
        let events = WebhookEvent::ALL.into_iter().filter(|event| told.contain(*event));
        let previous: Option<PreviousSecret> = endpoint.previous_secret;
        Self {
            id: endpoint.id.uuid(),
            url: endpoint.url,
            events: events.map(WebhookEvent::as_str).collect(),
            all_events: endpoint.events.is_none(),
            is_active: endpoint.is_active,
            deactivation: endpoint.deactivation.map(Deactivation::as_str),
            failing_since: endpoint.failing_since.map(Timestamp::from),
            previous_secret_until: previous.map(|previous| previous.until.into()),
            created_at: endpoint.created_at.into(),
        }
    }
}

impl From<WebhookEndpoint> for WithSecretView {
    fn from(endpoint: WebhookEndpoint) -> Self {
        let secret = endpoint.secret.expose().to_owned();
        Self { about: endpoint.into(), secret }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<WebhookEndpointView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.webhook_endpoints.page(&caller, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<WebhookEndpointRequest>,
) -> Result<Created<WithSecretView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.webhook_endpoints.create(&caller, request, faults).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    body: Body<WebhookEndpointUpdate>,
) -> Result<Answer<WebhookEndpointView>, ApiError> {
    let (update, faults) = body.read_some()?;
    let id = id.or_unknown();
    Ok(Answer::new(api.webhook_endpoints.update(&caller, id, update, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
) -> Result<Answer<WebhookEndpointView>, ApiError> {
    Ok(Answer::new(api.webhook_endpoints.delete(&caller, id.read()?).await?))
}

async fn rotate(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
) -> Result<Answer<WithSecretView>, ApiError> {
    Ok(Answer::new(api.webhook_endpoints.rotate_secret(&caller, id.read()?).await?))
}
