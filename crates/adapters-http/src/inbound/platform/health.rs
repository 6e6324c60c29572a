//! `/health…` and `/metrics`

use actix_web::{
    App, Error, HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::StatusCode,
    web::{self, Data},
};
use serde::Serialize;
use usecases::platform::health::HealthReport;
use utoipa::ToSchema;

use crate::inbound::{
    Api, MetricsText,
    shared::{
        endpoint::{
            Area,
            describe::{Describe, Description},
            get,
        },
        error::ApiError,
        formats::Timestamp,
    },
};

/// Name of the area of operations about the service itself: anybody may call them as often as they
/// like, and their answers have no envelope.
pub(crate) const HEALTH: &str = "Health";

pub(super) fn area() -> Area {
    Area {
        name: HEALTH,
        about: "Health of the service.",
        endpoints: vec![
            get("/health", "getHealth", health)
                .summary("Get the health of the service.")
                .description(
                    "Checks the database, Redis and the waiting time of messages. The answer has \
                     no envelope.",
                )
                .answers("All dependencies are healthy."),
            get("/health/live", "getLiveness", live)
                .extension()
                .summary("Check that the process answers.")
                .description(
                    "Checks nothing else, so that an outage of a dependency restarts no instance.",
                )
                .answers("The process answers."),
            get("/health/ready", "getReadiness", ready)
                .extension()
                .summary("Check that this instance is ready for requests.")
                .description(
                    "For load balancers: unlike `/health` it reports on this instance only. An \
                     instance is not ready while it shuts down, and while the database has too few \
                     connections for it. An unavailable database affects all instances, which stay \
                     ready: their answers state the time of a retry.",
                )
                .answers("The instance is ready."),
            get("/metrics", "getMetrics", metrics)
                .extension()
                .summary("Get the metrics of this instance.")
                .description(
                    "Metrics in the text format of Prometheus. In production they are served on a \
                     separate address, and not here.",
                )
                .answers("The metrics.")
                .with(answers_metrics)
                .fails(404, "Metrics are served elsewhere: `NOT_FOUND`."),
        ],
    }
}

fn answers_metrics(description: &mut Description) {
    let example = "# TYPE atumpan_http_requests_total counter\n";
    description.answers_text(200, "text/plain", example);
}

/// Health of the service.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
struct HealthView {
    /// `degraded` if anything below is not `ok`.
    status: ServiceStatus,
    /// The name of the service.
    #[schema(example = "atumpan")]
    service: &'static str,
    /// Time of the check.
    timestamp: Timestamp,
    dependencies: DependenciesView,
    tasks: TasksView,
}

/// Health of the service as a whole.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ServiceStatus {
    Ok,
    Degraded,
}

/// Health of a dependency.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum DependencyStatus {
    Ok,
    Error,
}

/// Dependencies of the service.
#[derive(Serialize, ToSchema)]
#[schema(as = Dependencies)]
struct DependenciesView {
    redis: RedisView,
    database: DatabaseView,
    workers: WorkersView,
}

/// Redis, or its substitute.
#[derive(Serialize, ToSchema)]
#[schema(as = RedisHealth)]
#[serde(rename_all = "camelCase")]
struct RedisView {
    status: DependencyStatus,
    /// Response time, in milliseconds.
    latency_ms: u64,
    /// State or problem, for people.
    #[schema(example = "no Redis is configured; a substitute in the process serves")]
    message: String,
}

/// The database.
#[derive(Serialize, ToSchema)]
#[schema(as = DatabaseHealth)]
struct DatabaseView {
    status: DependencyStatus,
    /// State or problem, for people.
    #[schema(example = "PostgreSQL answers")]
    message: String,
}

/// Extension: the background tasks of this instance. They do not affect `status`.
#[derive(Serialize, ToSchema)]
#[schema(as = BackgroundTasksHealth)]
struct TasksView {
    /// Names of the tasks that fail at present.
    #[schema(example = json!([]))]
    failing: Vec<&'static str>,
}

/// The workers.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkersHealth)]
#[serde(rename_all = "camelCase")]
struct WorkersView {
    status: DependencyStatus,
    /// State or problem, for people.
    #[schema(example = "no message waits too long")]
    message: String,
    notification_send: QueueView,
}

/// Messages on their way to providers.
#[derive(Serialize, ToSchema)]
#[schema(as = Queue)]
struct QueueView {
    /// Messages that wait for a worker or for their next try, on all instances; 10 000 at most for
    /// each priority.
    waiting: u64,
    /// Messages in flight, on all instances.
    active: u64,
    /// Messages that a provider accepted from this instance.
    completed: u64,
    /// Messages that failed for good on this instance.
    failed: u64,
    /// Number of workers of this instance.
    workers: u64,
}

/// Liveness of the process.
#[derive(Serialize, ToSchema)]
#[schema(as = Liveness)]
struct LiveView {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

impl From<HealthReport> for HealthView {
    fn from(report: HealthReport) -> Self {
        let status = if report.is_ok() { ServiceStatus::Ok } else { ServiceStatus::Degraded };
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
            tasks: TasksView { failing: report.failing_tasks },
        }
    }
}

fn state(found: Result<String, String>) -> (DependencyStatus, String) {
    match found {
        Ok(message) => (DependencyStatus::Ok, message),
        Err(message) => (DependencyStatus::Error, message),
    }
}

/// Health of the service, also as a status: 200, or 503.
struct HealthAnswer(HealthReport);

impl Responder for HealthAnswer {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let status = if self.0.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        HttpResponse::build(status).json(HealthView::from(self.0))
    }
}

impl Describe for HealthAnswer {
    fn describe(description: &mut Description) {
        let schema = description.schemas.of_answer::<HealthView>();
        description.answers_json(200, schema.clone());
        let failed = description.answers_json(503, schema);
        failed.description = "A dependency is not healthy.";
    }
}

async fn health(api: Data<Api>) -> HealthAnswer {
    HealthAnswer(api.health.check().await)
}

/// Liveness of the process: 200.
struct LiveAnswer;

impl Responder for LiveAnswer {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().json(LiveView { status: "ok" })
    }
}

impl Describe for LiveAnswer {
    fn describe(description: &mut Description) {
        let schema = description.schemas.of_answer::<LiveView>();
        description.answers_json(200, schema);
    }
}

async fn live() -> LiveAnswer {
    LiveAnswer
}

/// Readiness of this instance to accept messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ReadyStatus {
    Ok,
    Unavailable,
}

/// Readiness of this instance for its main work.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
struct ReadyView {
    status: ReadyStatus,
}

/// Readiness of this instance: 200, or 503.
struct ReadyAnswer {
    is_ready: bool,
}

impl Responder for ReadyAnswer {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        if self.is_ready {
            HttpResponse::Ok().json(ReadyView { status: ReadyStatus::Ok })
        } else {
            HttpResponse::ServiceUnavailable().json(ReadyView { status: ReadyStatus::Unavailable })
        }
    }
}

impl Describe for ReadyAnswer {
    fn describe(description: &mut Description) {
        let schema = description.schemas.of_answer::<ReadyView>();
        description.answers_json(200, schema.clone());
        description.answers_json(503, schema).description =
            "The instance is not ready at the moment.";
    }
}

async fn ready(api: Data<Api>) -> ReadyAnswer {
    ReadyAnswer { is_ready: api.health.is_ready() }
}

async fn metrics(api: Data<Api>) -> Result<HttpResponse, ApiError> {
    let text = api.metrics.as_ref().ok_or(ApiError::UnknownRoute)?;
    Ok(show_metrics(text))
}

/// Builds an application that serves `/metrics` and nothing else, for an address of its own.
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
    App::new().app_data(Data::new(text)).route("/metrics", web::get().to(metrics_alone))
}

async fn metrics_alone(text: Data<MetricsText>) -> HttpResponse {
    show_metrics(&text)
}

fn show_metrics(text: &MetricsText) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text())
}
