//! Records of deliveries to webhook endpoints.

use actix_web::web::Data;
use chrono::{DateTime, Utc};
use domain::{
    shared::{listed_text, page::Page},
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{
            CallFailure, DeliveryRecord, DeliveryRecordFilter, DeliveryRecordStatus,
            WebhookEndpoint,
        },
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    webhooks::webhook_endpoints::{Recovered, WEBHOOK_ENDPOINT_INACTIVE},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::EventName;
use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Endpoint, get, post_once},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, Rfc3339, field},
        long_text::LongText,
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
    },
};

/// Error of a call whose answer was not 2xx.
pub(super) const STATUS_NOT_SUCCESSFUL: &str = "STATUS_NOT_SUCCESSFUL";
/// Error of a delivery that ended because its endpoint was deactivated.
const DEACTIVATED: &str = "DEACTIVATED";

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/webhook-endpoints/{id}/deliveries", "listWebhookDeliveries", list)
            .extension()
            .summary("List deliveries to a webhook endpoint.")
            .description(
                "Deliveries of the last 30 days, newest first; at most 1,000 are counted and \
                 shown. If there are more, `pagination.isLowerBound` is true: `to` shows older \
                 ones. With `event`, or a `status` other than `FAILED`, the newest 20,000 are \
                 searched.",
            )
            .answers("The deliveries."),
        post_once(
            "/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
            "retryWebhookDelivery",
            retry,
        )
        .extension()
        .summary("Retry a delivery.")
        .description(
            "It is tried once more now with the same identifier, whatever its outcome was.",
        )
        .answers("The delivery, which will be tried.")
        .refuses(Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE)),
        post_once("/webhook-endpoints/{id}/recover", "recoverWebhookDeliveries", recover)
            .extension()
            .summary("Retry all deliveries that failed since a time.")
            .description(
                "They are tried again as often as new ones, in their order. One request recovers \
                 at most 100,000; if `hasMore` is true, the same request recovers the next.",
            )
            .answers("The number of deliveries to be tried again.")
            .refuses(Error::Conflict(WEBHOOK_ENDPOINT_INACTIVE)),
    ]
}

impl Identified for OutboundEvent {
    const NAME: &'static str = "delivery";
    const PARAMETER: &'static str = "deliveryId";
}

type RecordStatusName = Names<DeliveryRecordStatus>;

impl Vocabulary for DeliveryRecordStatus {
    const TITLE: &'static str = "WebhookDeliveryStatus";
    const DESCRIPTION: &'static str = "The state of a delivery to a webhook endpoint.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Reason for which a delivery did not succeed.
pub(super) struct RecordFailure;

pub(super) type FailureName = Names<RecordFailure>;

impl Vocabulary for RecordFailure {
    const TITLE: &'static str = "WebhookDeliveryError";
    const DESCRIPTION: &'static str = "The reason for which a delivery to a webhook endpoint did \
         not succeed. `STATUS_NOT_SUCCESSFUL`: the answer was not 2xx. `DEACTIVATED`: the endpoint \
         was deactivated before the delivery.";

    fn names() -> Vec<&'static str> {
        let own = [STATUS_NOT_SUCCESSFUL, DEACTIVATED];
        own.into_iter().chain(CallFailure::ALL.map(CallFailure::as_str)).collect()
    }
}

impl FromQuery for (DeliveryRecordFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let filter = DeliveryRecordFilter {
            status: parameters.optional("status", "Only deliveries in this state."),
            event: parameters.optional("event", "Only deliveries of this event."),
            from: time(parameters, "from", "Only deliveries of events at this time or later."),
            to: time(parameters, "to", "Only deliveries of events before this time."),
        };
        Some((filter, parameters.page()?))
    }
}

fn time(parameters: &mut Parameters, name: &str, about: &str) -> Option<DateTime<Utc>> {
    parameters.optional(name, about).map(|Rfc3339(time)| time)
}

/// Selection of deliveries to recover.
struct RecoverRequest {
    since: Option<DateTime<Utc>>,
}

impl FromFields for RecoverRequest {
    const NAME: &'static str = "RecoverWebhookDeliveriesRequest";
    const ABOUT: &'static str = "A selection of deliveries to retry.";

    fn from_fields(fields: &mut Fields) -> Self {
        let since =
            field("since").about("Deliveries of events since this time, at most 30 days ago.");
        Self { since: fields.required(since) }
    }

    fn example() -> Value {
        json!({ "since": "2026-01-31T09:00:00.000Z" })
    }
}

/// Delivery of an event to a webhook endpoint.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
#[serde(rename_all = "camelCase")]
struct RecordView {
    /// Identifier of the event, which receivers see as `webhook-id`.
    id: Uuid,
    #[schema(value_type = EventName)]
    event: &'static str,
    #[schema(value_type = RecordStatusName)]
    status: &'static str,
    /// Number of attempts, since its recovery if it was recovered.
    attempts: u32,
    /// Status of the receiver's last answer.
    #[schema(example = 204)]
    status_code: Option<u16>,
    /// Reason for which it did not succeed.
    #[schema(value_type = Option<FailureName>, example = json!(null))]
    error: Option<String>,
    /// Duration of the last call, in milliseconds.
    #[schema(example = 120)]
    duration_ms: Option<i64>,
    /// Time of the last attempt.
    attempted_at: Option<Timestamp>,
    /// Time of the next attempt; null if there is none.
    next_attempt_at: Option<Timestamp>,
    created_at: Timestamp,
    /// Body of the request. The request has all of a text in `data.body`; here are its first 10,000
    /// characters, and `data.bodyTruncated` is true if there are more.
    #[schema(value_type = Object)]
    body: Value,
}

/// Delivery that is going to be tried once more.
#[derive(Serialize, ToSchema)]
#[schema(as = RetriedWebhookDelivery)]
struct RetriedView {
    id: Uuid,
    #[schema(value_type = RecordStatusName)]
    status: &'static str,
}

/// Deliveries that are going to be tried again.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveredWebhookDeliveries)]
#[serde(rename_all = "camelCase")]
struct RecoveredView {
    /// Number of these deliveries.
    recovered: usize,
    /// True if there are more, which the same request recovers next.
    has_more: bool,
}

impl From<DeliveryRecord> for RecordView {
    fn from(record: DeliveryRecord) -> Self {
        let error = error(&record).map(str::to_owned);
        // Stored bodies are JSON.
        let body = serde_json::from_str(&record.event.body()).unwrap_or_default();
        Self {
            id: record.event.id.uuid(),
            event: record.event.event.as_str(),
            status: record.status.as_str(),
            attempts: record.attempts,
            status_code: record.status_code,
            error,
            duration_ms: record.took.map(|took| took.num_milliseconds()),
            attempted_at: record.attempted_at.map(Timestamp::from),
            next_attempt_at: record.due_at.map(Timestamp::from),
            created_at: record.event.at.into(),
            body,
        }
    }
}

impl LongText for RecordView {
    fn cut_text(&mut self) {
        let Some(Value::Object(data)) = self.body.get_mut("data") else { return };
        let Some(Value::String(text)) = data.get_mut("body") else { return };
        if listed_text::cut(text) {
            data.insert("bodyTruncated".to_owned(), Value::Bool(true));
        }
    }
}

/// Returns the reason for which a delivery has not succeeded, if it has not.
fn error(record: &DeliveryRecord) -> Option<&str> {
    let is_success = |status: u16| (200..300).contains(&status);
    match (&record.failure, record.status_code) {
        (Some(failure), _) => Some(failure),
        (None, Some(status)) if !is_success(status) => Some(STATUS_NOT_SUCCESSFUL),
        (None, _) if record.status == DeliveryRecordStatus::Failed => Some(DEACTIVATED),
        (None, _) => None,
    }
}

impl From<Recovered> for RecoveredView {
    fn from(recovered: Recovered) -> Self {
        Self { recovered: recovered.deliveries, has_more: recovered.has_more }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    query: Query<(DeliveryRecordFilter, Page)>,
) -> Result<Paginated<RecordView>, ApiError> {
    let (filter, page) = query.read()?;
    let deliveries = api.webhook_endpoints.deliveries(&caller, id.read()?, filter, page).await?;
    Ok(Paginated::with_cut_texts(deliveries))
}

async fn retry(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    delivery: PathId<OutboundEvent>,
) -> Result<Answer<RetriedView>, ApiError> {
    let (id, delivery) = (id.or_unknown(), delivery.or_unknown());
    api.webhook_endpoints.retry(&caller, id, delivery).await?;
    let status = DeliveryRecordStatus::Pending.as_str();
    Ok(Answer::new(RetriedView { id: delivery.uuid(), status }))
}

async fn recover(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    body: Body<RecoverRequest>,
) -> Result<Answer<RecoveredView>, ApiError> {
    let (RecoverRequest { since }, faults) = body.read_some()?;
    let id = id.or_unknown();
    Ok(Answer::new(api.webhook_endpoints.recover(&caller, id, since, faults).await?))
}
