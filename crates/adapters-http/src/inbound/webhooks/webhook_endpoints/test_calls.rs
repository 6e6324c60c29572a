//! Test calls of webhook endpoints.

use actix_web::web::Data;
use chrono::TimeDelta;
use domain::{
    shared::webhook_event::WebhookEvent,
    webhooks::webhook::{CallOutcome, WebhookCallResult, WebhookEndpoint},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::Error;
use utoipa::ToSchema;

use super::records::{FailureName, STATUS_NOT_SUCCESSFUL};
use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        body::{Body, may_be_absent},
        caller::Member,
        endpoint::{Endpoint, post},
        error::ApiError,
        json_fields::{Fields, FromFields, field},
        path_id::PathId,
    },
};

pub(super) fn endpoint() -> Endpoint {
    post("/webhook-endpoints/{id}/test", "testWebhookEndpoint", test)
        .summary("Send a test to a webhook endpoint.")
        .description(
            "Sends an invented event at once, and once, signed like others. Nothing of it is \
             recorded. An endpoint is tested by one call at a time, and once a second.",
        )
        .with(may_be_absent)
        .answers("The result of the test.")
        .refuses_when("The endpoint is not active.", Error::NotFound("webhook endpoint"))
        .refuses_when(
            "It is being tested, or was tested within the last second.",
            Error::RateLimited(TimeDelta::seconds(2)),
        )
}

/// Test of a webhook endpoint.
struct TestRequest {
    event: Option<WebhookEvent>,
}

impl FromFields for TestRequest {
    const NAME: &'static str = "TestWebhookEndpointRequest";
    const ABOUT: &'static str = "The event to send as a test.";

    fn from_fields(fields: &mut Fields) -> Self {
        let event = field("event").about("`message.status.updated` if absent.");
        Self { event: fields.optional(event) }
    }

    fn example() -> Value {
        json!({ "event": WebhookEvent::ContactOptedOut.as_str() })
    }
}

/// Result of a test of a webhook endpoint.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookTest)]
#[serde(rename_all = "camelCase")]
struct TestView {
    /// True if the receiver answered 2xx in time.
    delivered: bool,
    /// Status of the receiver's answer; null without one.
    #[schema(example = 204)]
    status_code: Option<u16>,
    #[schema(example = 120)]
    duration_ms: i64,
    /// Reason for which it was not delivered.
    #[schema(value_type = Option<FailureName>, example = json!(null))]
    error: Option<&'static str>,
}

impl From<WebhookCallResult> for TestView {
    fn from(result: WebhookCallResult) -> Self {
        let delivered = result.outcome.is_success();
        let (status_code, error) = match result.outcome {
            CallOutcome::Answered { status, .. } => {
                (Some(status), (!delivered).then_some(STATUS_NOT_SUCCESSFUL))
            }
            CallOutcome::Failed(failure) => (None, Some(failure.as_str())),
        };
        Self { delivered, status_code, duration_ms: result.took.num_milliseconds(), error }
    }
}

async fn test(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<WebhookEndpoint>,
    body: Body<TestRequest>,
) -> Result<Answer<TestView>, ApiError> {
    let (TestRequest { event }, faults) = body.read()?;
    let id = id.or_unknown();
    Ok(Answer::new(api.webhook_endpoints.test(&caller, id, event, faults).await?))
}
