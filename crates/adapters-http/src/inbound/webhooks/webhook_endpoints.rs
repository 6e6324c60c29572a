//! `/webhook-endpoints`

mod records;
mod test_calls;

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use domain::{
    shared::webhook_event::WebhookEvent,
    webhooks::webhook::{
        Deactivation, PreviousSecret, WebhookEndpoint, WebhookEndpointRequest,
        WebhookEndpointUpdate,
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    webhooks::webhook_endpoints::{URL_REQUIRED, WEBHOOK_ENDPOINT_BUSY, active_limit_reached},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{self, Answer, Created, NoContent, Paginated},
        body::Body,
        caller::Member,
        endpoint::{
            Area, Endpoint, delete,
            describe::{Describe, Description},
            get, patch, post_once,
            schemas::MARK,
        },
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query, ShortPage},
    },
};

/// Parameter that makes a deletion a removal.
const PERMANENT: &str = "permanent";

pub(super) fn area() -> Area {
    let mut endpoints = endpoints();
    endpoints.extend(records::endpoints());
    endpoints.push(test_calls::endpoint());
    Area { name: "Webhooks", about: "Addresses at which organizations receive events.", endpoints }
}

fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/webhook-endpoints", "listWebhookEndpoints", list)
            .summary("List webhook endpoints.")
            .description(
                "Newest first, including deactivated ones. For owners, administrators and \
                 developers.",
            )
            .answers("The endpoints, without their secrets."),
        post_once("/webhook-endpoints", "createWebhookEndpoint", create)
            .summary("Create a webhook endpoint.")
            .description(
                "The endpoint receives events from one second later on. An organization has at \
                 most 20 active endpoints; of deactivated ones the newest 1,000 are kept. Calls \
                 are signed with the secret, which is in this answer only. Signatures and contents \
                 are described with each event under `webhooks` in this document.",
            )
            .answers("The endpoint with its secret, shown only once.")
            .refuses(Error::BadRequest(URL_REQUIRED))
            .refuses(active_limit_reached()),
        patch("/webhook-endpoints/{id}", "updateWebhookEndpoint", update)
            .summary("Change a webhook endpoint.")
            .description(
                "A reactivated endpoint receives events from one second later on. Events that it \
                 missed, and failed deliveries, can be recovered.",
            )
            .answers("The changed endpoint.")
            .refuses(active_limit_reached())
            .refuses(Error::InProgress(WEBHOOK_ENDPOINT_BUSY)),
        delete("/webhook-endpoints/{id}", "deleteWebhookEndpoint", remove)
            .summary("Deactivate a webhook endpoint.")
            .description(
                "The endpoint receives no more events, and pending deliveries become `FAILED`. It \
                 stays in the list, and can be activated again, for 25 months. With \
                 `permanent=true` it is removed; its deliveries can still be listed for 30 days.",
            )
            .answers("The changed endpoint.")
            .with(mark_permanent),
        post_once("/webhook-endpoints/{id}/rotate-secret", "rotateWebhookSecret", rotate)
            .extension()
            .summary("Rotate the secret of a webhook endpoint.")
            .description(
                "The previous secret also signs for 24 hours: `webhook-signature` has both \
                 signatures, `X-Service-Signature` that of the new secret. After several rotations \
                 in a day the newest two secrets sign.",
            )
            .answers("The endpoint with its new secret, shown only once."),
    ]
}

/// Marks the parameter of a deletion as an extension.
fn mark_permanent(description: &mut Description) {
    for parameter in &mut description.parameters {
        if parameter["name"] == PERMANENT {
            parameter[MARK] = json!(true);
        }
    }
}

impl Identified for WebhookEndpoint {
    const NAME: &'static str = "webhook endpoint";
}

/// Names of webhook events.
type EventName = Names<WebhookEvent>;

impl Vocabulary for WebhookEvent {
    const TITLE: &'static str = "WebhookEvent";
    const DESCRIPTION: &'static str = "An event that webhooks report.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

type DeactivationName = Names<Deactivation>;

impl Vocabulary for Deactivation {
    const TITLE: &'static str = "WebhookDeactivation";
    const DESCRIPTION: &'static str =
        "The reason for which the service deactivated a webhook endpoint.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const URL: Field = field("url")
    .about(
        "The URL of the receiver: https, in development also http. It must lead to a public \
         address.",
    )
    .format("uri")
    .limits(&[("maxLength", 2_048)]);
const EVENTS: Field = field("events").about(
    "The events that it is subscribed to; all, including future ones, if absent, null or empty.",
);

impl FromFields for WebhookEndpointRequest {
    const NAME: &'static str = "CreateWebhookEndpointRequest";
    const ABOUT: &'static str = "A webhook endpoint to create.";

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
    const ABOUT: &'static str = "Changes to a webhook endpoint. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        let is_active = field("isActive").about("True if it receives events.");
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

/// Address at which an organization receives events.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpoint)]
#[serde(rename_all = "camelCase")]
struct WebhookEndpointView {
    id: Uuid,
    #[schema(example = "https://hooks.kente.example/atumpan")]
    url: String,
    /// Events that it is subscribed to.
    #[schema(value_type = Vec<EventName>)]
    events: Vec<&'static str>,
    /// Extension: true if these are all events, including future ones.
    all_events: bool,
    /// True if it receives events.
    is_active: bool,
    /// Extension: reason for which the service deactivated it, if it did.
    #[schema(value_type = Option<DeactivationName>)]
    deactivation: Option<&'static str>,
    /// Extension: time since which every call has failed, if the last one did.
    failing_since: Option<Timestamp>,
    /// Extension: time until which the previous secret also signs, or did.
    previous_secret_until: Option<Timestamp>,
    created_at: Timestamp,
}

/// Webhook endpoint with a new secret.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointWithSecret)]
struct WithSecretView {
    #[serde(flatten)]
    about: WebhookEndpointView,
    /// Signing secret of the endpoint. It is shown only once.
    #[schema(example = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3")]
    secret: String,
}

impl From<WebhookEndpoint> for WebhookEndpointView {
    fn from(endpoint: WebhookEndpoint) -> Self {
        let subscribed = endpoint.subscribed_events();
        let events = WebhookEvent::ALL.into_iter().filter(|event| subscribed.contain(*event));
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

/// Query of a deletion: true to remove the endpoint.
struct IsPermanent(bool);

impl FromQuery for IsPermanent {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "True to remove the endpoint instead of deactivating it.";
        Some(Self(parameters.optional(PERMANENT, about).unwrap_or_default()))
    }
}

/// Endpoint after its deletion.
enum Deleted {
    Deactivated(Box<WebhookEndpointView>),
    Removed,
}

impl Responder for Deleted {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Self::Deactivated(endpoint) => answers::success(StatusCode::OK, endpoint),
            Self::Removed => NoContent.respond_to(request),
        }
    }
}

impl Describe for Deleted {
    fn describe(description: &mut Description) {
        Answer::<WebhookEndpointView>::describe(description);
        description.answers_nothing(204).description = "The endpoint is removed.";
    }
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    query: Query<IsPermanent>,
) -> Result<Deleted, ApiError> {
    let (IsPermanent(is_permanent), id) = (query.read()?, id.read()?);
    if is_permanent {
        api.webhook_endpoints.remove(&caller, id).await?;
        return Ok(Deleted::Removed);
    }
    let endpoint = api.webhook_endpoints.delete(&caller, id).await?;
    Ok(Deleted::Deactivated(Box::new(endpoint.into())))
}

async fn rotate(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
) -> Result<Answer<WithSecretView>, ApiError> {
    Ok(Answer::new(api.webhook_endpoints.rotate_secret(&caller, id.read()?).await?))
}
