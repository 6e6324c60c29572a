//! Why something is refused.

use chrono::TimeDelta;
use domain::webhooks::webhook::{MAX_ACTIVE_ENDPOINTS, MAX_ENDPOINTS};

use crate::{Error, Reason, platform::limits::Limit};

/// The time at which to have a URL checked again that was not checked now: a name server that does not answer is
/// given up after some seconds.
const CHECKED_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// An endpoint was to be made without a URL.
pub const URL_REQUIRED: Reason = Reason::new("URL_REQUIRED", "a url is required");

/// What was to be delivered before the endpoint was deactivated is still being ended.
pub const WEBHOOK_ENDPOINT_BUSY: Reason = Reason::new(
    "WEBHOOK_ENDPOINT_BUSY",
    "the deliveries of before the endpoint was deactivated are still being ended; try again",
);

/// Nothing is delivered to an endpoint that is not active.
pub const WEBHOOK_ENDPOINT_INACTIVE: Reason =
    Reason::new("WEBHOOK_ENDPOINT_INACTIVE", "the webhook endpoint is not active");

pub(super) const NOT_FOUND: Error = Error::NotFound("webhook endpoint");

/// Too many URLs of the organization are being checked.
pub(super) fn too_many_checks() -> Error {
    Limit::WebhookChecks.count_refusal();
    Error::RateLimited(CHECKED_AGAIN)
}

/// The organization has as many active endpoints as it may have.
pub fn active_limit_reached() -> Error {
    let message = format!(
        "an organization has at most {MAX_ACTIVE_ENDPOINTS} active webhook endpoints; deactivate one"
    );
    Error::Conflict(Reason::with_message("WEBHOOK_ENDPOINT_LIMIT_REACHED", message))
}

/// The organization has as many endpoints as it may have.
pub fn endpoint_limit_reached() -> Error {
    let message = format!(
        "an organization has at most {MAX_ENDPOINTS} webhook endpoints, with those that are \
         deactivated; change one of these and activate it"
    );
    Error::Conflict(Reason::with_message("WEBHOOK_ENDPOINT_LIMIT_REACHED", message))
}
