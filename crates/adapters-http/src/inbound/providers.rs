//! `/providers`

use actix_web::{HttpRequest, HttpResponse, get, post, web::Data};
use domain::{
    breaker::Breaker, id::Id, provider::Provider, provider_state::ProviderState, user::User,
};
use ports::providers::{HealthEvent, ProviderRecord};
use serde::Serialize;
use usecases::{
    Error as Refusal,
    provider_health::{ProviderDetail, for_tenants},
};
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;
use uuid::Uuid;

use super::{
    Api,
    caller::Bearer,
    envelope::{self, FailureView, Success},
    error::Failure,
    wire::{ChannelName, Timestamp},
};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list).service(show).service(check);
}

/// A provider that carries messages. No credential is ever shown.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProviderView {
    id: Uuid,
    /// The operator's name for it.
    #[schema(example = "sms-ghana")]
    name: String,
    #[schema(value_type = ChannelName)]
    channel: String,
    /// The vendor.
    #[schema(example = "africas-talking")]
    kind: String,
    /// Whether it is declared now.
    is_active: bool,
    /// `UP`, `DEGRADED` while it comes after others because its reports stay out, or `DOWN` while
    /// it is left alone because it failed.
    status: &'static str,
    /// Where it may be used.
    routes: Vec<RouteView>,
    /// What the latest look at it showed; null if nobody has looked yet.
    health: Option<HealthView>,
}

/// A country that a provider serves.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RouteView {
    /// The country; `*` is any.
    #[schema(example = "GH")]
    country_code: String,
    /// The lowest is tried first.
    priority: u16,
}

/// What a look at a provider showed.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderHealth)]
#[serde(rename_all = "camelCase")]
struct HealthView {
    /// `UP`, `DEGRADED` or `DOWN`.
    status: String,
    latency_ms: Option<i64>,
    message: String,
    checked_at: Timestamp,
}

/// A provider with the latest events in its health.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProviderDetailView {
    #[serde(flatten)]
    about: ProviderView,
    /// Newest first, up to 100.
    health_history: Vec<HealthEventView>,
}

/// Something in a provider's health.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HealthEventView {
    /// `CHECK`, `BREAKER` or `DEMOTION`.
    event: &'static str,
    /// What it came to: `UP`, `DEGRADED` or `DOWN`; `OPEN`, `PROBING` or `CLOSED`; or how many
    /// steps it is demoted.
    status: String,
    /// Why.
    message: String,
    latency_ms: Option<i64>,
    at: Timestamp,
}

impl From<ProviderRecord> for ProviderView {
    fn from(record: ProviderRecord) -> Self {
        let declared = record.provider;
        let route = |(country_code, priority)| RouteView { country_code, priority };
        Self {
            id: record.id.uuid(),
            name: declared.name,
            channel: declared.channel,
            kind: declared.kind,
            is_active: record.is_active,
            status: status(record.state),
            routes: declared.routes.into_iter().map(route).collect(),
            health: record.last_check.map(HealthView::from),
        }
    }
}

fn status(state: ProviderState) -> &'static str {
    match state {
        ProviderState { breaker: Breaker::Open { .. } | Breaker::Probing { .. }, .. } => "DOWN",
        ProviderState { demotion: 1.., .. } => "DEGRADED",
        ProviderState { .. } => "UP",
    }
}

impl From<HealthEvent> for HealthView {
    fn from(event: HealthEvent) -> Self {
        Self {
            latency_ms: event.latency.map(|latency| latency.num_milliseconds()),
            status: event.status,
            message: event.message,
            checked_at: event.at.into(),
        }
    }
}

impl From<HealthEvent> for HealthEventView {
    fn from(event: HealthEvent) -> Self {
        Self {
            event: event.kind.as_str(),
            latency_ms: event.latency.map(|latency| latency.num_milliseconds()),
            status: event.status,
            message: event.message,
            at: event.at.into(),
        }
    }
}

impl From<ProviderDetail> for ProviderDetailView {
    fn from(detail: ProviderDetail) -> Self {
        Self {
            about: detail.record.into(),
            health_history: detail.history.into_iter().map(HealthEventView::from).collect(),
        }
    }
}

/// List the providers.
#[utoipa::path(
    operation_id = "listProviders",
    tag = "Providers",
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The providers, by name.", body = Success<Vec<ProviderView>>),
    ),
)]
#[get("/providers")]
async fn list(Bearer(user): Bearer, api: Data<Api>) -> Result<HttpResponse, Failure> {
    let providers = api.provider_health.list().await?;
    let shown = providers.into_iter().map(|record| record_for(&user, record));
    let views: Vec<_> = shown.map(ProviderView::from).collect();
    Ok(envelope::ok(views))
}

/// Look a provider up, with its history.
#[utoipa::path(
    operation_id = "getProvider",
    tag = "Providers",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "The provider.")),
    responses(
        (status = 200, description = "The provider.", body = Success<ProviderDetailView>),
        (status = 404, description = "There is no such provider.", body = FailureView),
    ),
)]
#[get("/providers/{id}")]
async fn show(
    Bearer(user): Bearer,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let ProviderDetail { record, history } = api.provider_health.get(id(&request)?).await?;
    let record = record_for(&user, record);
    let history = history.into_iter().map(|event| event_for(&user, event)).collect();
    Ok(envelope::ok(ProviderDetailView::from(ProviderDetail { record, history })))
}

/// Look at a provider's account now.
///
/// Nothing is sent. The result is kept in the provider's history, and answers everybody who asks
/// within ten seconds. Platform administrators are told more of it.
#[utoipa::path(
    operation_id = "checkProvider",
    tag = "Providers",
    security(("bearer" = [])),
    params(("id" = String, Path, description = "The provider.")),
    responses(
        (status = 200, description = "What that showed.", body = Success<HealthView>),
        (status = 404, description = "There is no such provider.", body = FailureView),
    ),
)]
#[post("/providers/{id}/health-check")]
async fn check(
    Bearer(user): Bearer,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let event = api.provider_health.check(id(&request)?).await?;
    Ok(envelope::ok(HealthView::from(event_for(&user, event))))
}

fn record_for(user: &User, record: ProviderRecord) -> ProviderRecord {
    let last_check = record.last_check.map(|event| event_for(user, event));
    ProviderRecord { last_check, ..record }
}

fn event_for(user: &User, event: HealthEvent) -> HealthEvent {
    if user.platform_role.is_some() { event } else { for_tenants(event) }
}

fn id(request: &HttpRequest) -> Result<Id<Provider>, Failure> {
    let id = request.match_info().query("id").parse();
    Ok(id.map_err(|_| Refusal::NotFound("provider"))?)
}
