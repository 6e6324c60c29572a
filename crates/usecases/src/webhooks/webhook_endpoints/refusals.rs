//! Refusals of operations on webhook endpoints.

use chrono::TimeDelta;
use domain::webhooks::webhook::MAX_ACTIVE_ENDPOINTS;

use crate::{Error, Reason, shared::limits::Limit};

/// Delay until a URL that was not checked can be checked again: a name server that does not answer
/// is given up after some seconds.
const CHECKED_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// The request has no URL.
pub const URL_REQUIRED: Reason = Reason::missing_field("url", "URL_REQUIRED", "a url is required");

/// The deliveries from before the deactivation of the endpoint are still being ended.
pub const WEBHOOK_ENDPOINT_BUSY: Reason = Reason::new(
    "WEBHOOK_ENDPOINT_BUSY",
    "the deliveries of before the endpoint was deactivated are still being ended; try again",
);

/// The endpoint is not active, so nothing is delivered to it.
pub const WEBHOOK_ENDPOINT_INACTIVE: Reason =
    Reason::new("WEBHOOK_ENDPOINT_INACTIVE", "the webhook endpoint is not active");

pub(super) const NOT_FOUND: Error = Error::NotFound("webhook endpoint");

/// Too many URLs of the organization are being checked.
pub(super) fn too_many_checks() -> Error {
    Limit::WebhookChecks.count_refusal();
    Error::RateLimited(CHECKED_AGAIN)
}

/// The organization has the maximum number of active endpoints.
pub fn active_limit_reached() -> Error {
    let message = format!(
        "an organization has at most {MAX_ACTIVE_ENDPOINTS} active webhook endpoints; deactivate one"
    );
    Error::Conflict(Reason::with_message("WEBHOOK_ENDPOINT_LIMIT_REACHED", message))
}
