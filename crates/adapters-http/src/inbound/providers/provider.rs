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
        about: "Providers that carry messages, with their health.",
        endpoints: vec![
            get("/providers", "listProviders", list)
                .summary("List the providers.")
                .answers("The providers, by name."),
            get("/providers/{id}", "getProvider", show)
                .summary("Get a provider, with its history.")
                .answers("The provider."),
            post("/providers/{id}/health-check", "checkProvider", check)
                .summary("Check a provider's account now.")
                .description(
                    "Nothing is sent. The result is stored in the provider's history, and returned \
                     to all requests within ten seconds. Platform administrators get more details.",
                )
                .answers("The result of the check."),
        ],
    }
}

impl Identified for Provider {
    const NAME: &'static str = "provider";
}

/// Provider that carries messages. Credentials are never shown.
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
    /// True if it is configured now.
    is_active: bool,
    /// `DEGRADED` while it is tried after others because its reports are missing, `DOWN` while it
    /// is not used because it failed.
    status: ProviderStatus,
    /// Routes on which it may be used.
    routes: Vec<RouteView>,
    /// Result of the latest check; null if there was none yet.
    health: Option<HealthView>,
}

/// Availability of a provider.
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
    /// The country; `*` for any.
    #[schema(example = "GH")]
    country_code: String,
    /// Rank among providers: the lowest is tried first.
    priority: u16,
}

/// Result of a check of a provider.
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
    const DESCRIPTION: &'static str = "The kind of an event in a provider's health.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Provider, with the latest events of its health.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderDetail)]
#[serde(rename_all = "camelCase")]
struct ProviderDetailView {
    #[serde(flatten)]
    about: ProviderView,
    /// Events, newest first, up to 100.
    health_history: Vec<HealthEventView>,
}

/// Event in a provider's health.
#[derive(Serialize, ToSchema)]
#[schema(as = ProviderHealthEvent)]
#[serde(rename_all = "camelCase")]
struct HealthEventView {
    #[schema(value_type = HealthEventName)]
    event: &'static str,
    /// Resulting state: `UP`, `DEGRADED` or `DOWN`; `OPEN`, `PROBING` or `CLOSED`; or the number of
    /// steps that it is demoted.
    #[schema(example = "UP")]
    status: String,
    /// Reason for people.
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
