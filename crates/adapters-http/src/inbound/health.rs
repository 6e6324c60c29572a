//! `/health…` and `/metrics`

use actix_web::{
    App, Error, HttpResponse,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    get,
    web::{self, Data},
};
use serde::Serialize;
use usecases::health::HealthReport;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{Api, MetricsText, error::Failure, openapi::HEALTH, wire::Timestamp};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(health).service(live).service(ready).service(metrics);
}

/// How the service is.
#[derive(Serialize, ToSchema)]
struct HealthView {
    /// `ok`, or `degraded` when anything below is not.
    #[schema(example = "ok")]
    status: &'static str,
    /// The name of the service.
    #[schema(example = "atumpan")]
    service: &'static str,
    /// When it was looked at.
    timestamp: Timestamp,
    dependencies: DependenciesView,
}

/// What the service depends on.
#[derive(Serialize, ToSchema)]
struct DependenciesView {
    redis: RedisView,
    database: DatabaseView,
    workers: WorkersView,
}

/// Redis, or what stands in for it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RedisView {
    /// `ok` or `error`.
    #[schema(example = "ok")]
    status: &'static str,
    /// How long it took to answer, in milliseconds.
    latency_ms: u64,
    /// The state, or what is wrong.
    message: String,
}

/// The database.
#[derive(Serialize, ToSchema)]
struct DatabaseView {
    /// `ok` or `error`.
    #[schema(example = "ok")]
    status: &'static str,
    /// The state, or what is wrong.
    message: String,
}

/// The workers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WorkersView {
    /// `ok` or `error`.
    #[schema(example = "ok")]
    status: &'static str,
    /// The state, or what is wrong.
    message: String,
    notification_send: QueueView,
}

/// Messages on their way to providers.
#[derive(Serialize, ToSchema)]
struct QueueView {
    /// Messages that wait for a worker or for their next try, on all instances.
    waiting: u64,
    /// Messages in the hands of a worker, on all instances.
    active: u64,
    /// Messages that a provider took from this instance.
    completed: u64,
    /// Messages that failed for good on this instance.
    failed: u64,
    /// How many workers this instance has.
    workers: u64,
}

/// That the process answers.
#[derive(Serialize, ToSchema)]
struct LiveView {
    /// Always `ok`.
    status: &'static str,
}

impl From<HealthReport> for HealthView {
    fn from(report: HealthReport) -> Self {
        let status = if report.is_ok() { "ok" } else { "degraded" };
        let (redis_status, redis_message) = state(report.shared);
        let (database_status, database_message) = state(report.database);
        let (workers_status, workers_message) = state(report.workers);
        Self {
            status,
            service: "atumpan",
            timestamp: report.at.into(),
            dependencies: DependenciesView {
                redis: RedisView {
                    status: redis_status,
                    latency_ms: u64::try_from(report.shared_latency.as_millis())
                        .unwrap_or(u64::MAX),
                    message: redis_message,
                },
                database: DatabaseView { status: database_status, message: database_message },
                workers: WorkersView {
                    status: workers_status,
                    message: workers_message,
                    notification_send: QueueView {
                        waiting: report.backlog.waiting,
                        active: report.backlog.active,
                        completed: report.worker_stats.completed,
                        failed: report.worker_stats.failed,
                        workers: report.worker_stats.workers,
                    },
                },
            },
        }
    }
}

fn state(found: Result<String, String>) -> (&'static str, String) {
    match found {
        Ok(message) => ("ok", message),
        Err(message) => ("error", message),
    }
}

/// How the service is.
///
/// Looks at the database, at Redis and at how long messages wait. The answer has no envelope.
#[utoipa::path(
    operation_id = "getHealth",
    tag = HEALTH,
    responses(
        (status = 200, description = "All dependencies are healthy.", body = HealthView),
        (status = 503, description = "A dependency is not.", body = HealthView),
    ),
)]
#[get("/health")]
async fn health(api: Data<Api>) -> HttpResponse {
    let report = api.health.check().await;
    let mut response =
        if report.is_ok() { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    response.json(HealthView::from(report))
}

/// Whether the process answers.
///
/// Extension: looks at nothing else, so that an outage of a dependency restarts no instance.
#[utoipa::path(
    operation_id = "getLiveness",
    tag = HEALTH,
    responses((status = 200, description = "It does.", body = LiveView)),
)]
#[get("/health/live")]
async fn live() -> HttpResponse {
    HttpResponse::Ok().json(LiveView { status: "ok" })
}

/// Whether this instance can do its main work.
#[derive(Serialize, ToSchema)]
struct ReadyView {
    /// `ok`, or `unavailable`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// Whether this instance should be given requests.
///
/// For load balancers: unlike `/health` it tells of this instance alone, and nothing of
/// what the service can do without. An instance is ready as long as it can accept messages.
#[utoipa::path(
    operation_id = "getReadiness",
    tag = HEALTH,
    extensions(("x-atumpan-extension" = json!(true))),
    responses(
        (status = 200, description = "It should.", body = ReadyView),
        (status = 503, description = "It should not, for the moment.", body = ReadyView),
    ),
)]
#[get("/health/ready")]
async fn ready(api: Data<Api>) -> HttpResponse {
    if api.health.is_ready() {
        HttpResponse::Ok().json(ReadyView { status: "ok" })
    } else {
        HttpResponse::ServiceUnavailable().json(ReadyView { status: "unavailable" })
    }
}

/// What this instance has counted.
///
/// Extension: metrics in the text format of Prometheus. In production they are served on an address
/// of their own, and here is nothing.
#[utoipa::path(
    operation_id = "getMetrics",
    tag = HEALTH,
    responses((
        status = 200, description = "The metrics.", body = String, content_type = "text/plain",
    )),
)]
#[get("/metrics")]
async fn metrics(api: Data<Api>) -> Result<HttpResponse, Failure> {
    let text = api.metrics.as_ref().ok_or(Failure::UnknownRoute)?;
    Ok(written_down(text))
}

/// An application that serves `/metrics` and nothing else, for an address of its own.
pub(crate) fn metrics_app(
    text: &MetricsText,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let text = MetricsText::clone(text);
    let show = move || {
        let answer = written_down(&text);
        async { answer }
    };
    App::new().route("/metrics", web::get().to(show))
}

fn written_down(text: &MetricsText) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text())
}
