//! `/providers`

use actix_web::web::Data;
use domain::{
    identity::user::User,
    providers::{breaker::Breaker, provider::Provider, provider_state::ProviderState},
};
use ports::providers::provider::{HealthEvent, HealthEventKind, ProviderRecord};
use serde::Serialize;
use usecases::{
    identity::auth::SignedIn,
    providers::provider_health::{ProviderDetail, for_tenants},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        caller::{AnyBearer, Bearer},
        endpoint::{Area, get, post},
        error::ApiError,
        formats::{ChannelName, Names, Timestamp, Vocabulary},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Providers",
        about: "Who carries messages, and how they are.",
        endpoints: vec![
            get("/providers", "listProviders", list)
                .summary("List the providers.")
                .answers("The providers, by name."),
            get("/providers/{id}", "getProvider", show)
                .summary("Look a provider up, with its history.")
                .answers("The provider.")
                .fails(404, "There is no such provider: `NOT_FOUND`."),
            post("/providers/{id}/health-check", "checkProvider", check)
                .summary("Look at a provider's account now.")
                .description(
                    "Nothing is sent. The result is kept in the provider's history, and answers \
                     everybody who asks within ten seconds. Platform administrators are told more \
                     of it.",
                )
                .answers("What that showed.")
                .fails(404, "There is no such provider: `NOT_FOUND`."),
        ],
    }
}

impl Identified for Provider {
    const NAME: &'static str = "provider";
}

/// A provider that carries messages. No credential is ever shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Provider)]
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
    /// `DEGRADED` while it comes after others because its reports stay out, `DOWN` while it is left
    /// alone because it failed.
    status: ProviderStatus,
    /// Where it may be used.
    routes: Vec<RouteView>,
    /// What the latest look at it showed; null if nobody has looked yet.
    health: Option<HealthView>,
}

/// Whether a provider can be used.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum ProviderStatus {
    Up,
    Degraded,
    Down,
}

/// A country that a provider serves.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderRoute)]
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
    #[schema(value_type = ProviderStatus)]
    status: String,
    #[schema(example = 182)]
    latency_ms: Option<i64>,
    #[schema(example = "the vendor answers")]
    message: String,
    checked_at: Timestamp,
}

type HealthEventName = Names<HealthEventKind>;

impl Vocabulary for HealthEventKind {
    const TITLE: &'static str = "ProviderHealthEventKind";
    const DESCRIPTION: &'static str = "What happened to a provider's health.";

    fn names() -> Vec<&'static str> {
        [Self::Check, Self::Breaker, Self::Demotion].map(Self::as_str).into()
    }
}

/// A provider with the latest events in its health.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderDetail)]
#[serde(rename_all = "camelCase")]
struct ProviderDetailView {
    #[serde(flatten)]
    about: ProviderView,
    /// Newest first, up to 100.
    health_history: Vec<HealthEventView>,
}

/// Something in a provider's health.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderHealthEvent)]
#[serde(rename_all = "camelCase")]
struct HealthEventView {
    #[schema(value_type = HealthEventName)]
    event: &'static str,
    /// What it came to: `UP`, `DEGRADED` or `DOWN`; `OPEN`, `PROBING` or `CLOSED`; or how many
    /// steps it is demoted.
    #[schema(example = "UP")]
    status: String,
    /// Why.
    #[schema(example = "the vendor answers")]
    message: String,
    latency_ms: Option<i64>,
    at: Timestamp,
}

impl From<ProviderRecord> for ProviderView {
    fn from(record: ProviderRecord) -> Self {
        let declared = record.provider;
        Self {
            id: record.id.uuid(),
            name: declared.name,
            channel: declared.channel,
            kind: declared.kind,
            is_active: record.is_active,
            status: status(record.state),
            routes: declared.routes.into_iter().map(RouteView::from).collect(),
            health: record.last_check.map(HealthView::from),
        }
    }
}

impl From<(String, u16)> for RouteView {
    fn from((country_code, priority): (String, u16)) -> Self {
        Self { country_code, priority }
    }
}

fn status(state: ProviderState) -> ProviderStatus {
    match state {
        ProviderState { breaker: Breaker::Open { .. } | Breaker::Probing { .. }, .. } => {
            ProviderStatus::Down
        }
        ProviderState { demotion: 1.., .. } => ProviderStatus::Degraded,
        ProviderState { .. } => ProviderStatus::Up,
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

async fn list(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<ProviderView>, ApiError> {
    let ShortPage(page) = query.read()?;
    let providers = api.provider_health.list().await?.into_iter();
    let shown = providers.map(|record| record_for(&session.user, record)).collect();
    Ok(Paginated::new(page.part(shown)))
}

async fn show(
    AnyBearer(SignedIn { user, .. }): AnyBearer,
    api: Data<Api>,
    id: PathId<Provider>,
) -> Result<Answer<ProviderDetailView>, ApiError> {
    let ProviderDetail { record, history } = api.provider_health.get(id.read()?).await?;
    let record = record_for(&user, record);
    let history = history.into_iter().map(|event| event_for(&user, event)).collect();
    Ok(Answer::new(ProviderDetail { record, history }))
}

async fn check(
    Bearer(user): Bearer,
    api: Data<Api>,
    id: PathId<Provider>,
) -> Result<Answer<HealthView>, ApiError> {
    let event = api.provider_health.check(id.read()?).await?;
    Ok(Answer::new(event_for(&user, event)))
}

fn record_for(user: &User, record: ProviderRecord) -> ProviderRecord {
    let last_check = record.last_check.map(|event| event_for(user, event));
    ProviderRecord { last_check, ..record }
}

fn event_for(user: &User, event: HealthEvent) -> HealthEvent {
    if user.platform_role.is_some() { event } else { for_tenants(event) }
}
