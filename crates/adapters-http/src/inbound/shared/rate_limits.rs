//! Header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), which
//! report the limits that a request was counted against.

use std::{fmt::Write, time::Duration};

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{HeaderMap, HeaderName, HeaderValue},
};
use usecases::shared::limits::{Quota, RateLimitSlot, RateLimitStatus};

/// Field with the limits of the client.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// Field with the present state of these limits.
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Returns the rate limit slot of a request.
pub(crate) fn rate_limit_of(request: &HttpRequest) -> RateLimitSlot {
    request.extensions().get().cloned().unwrap_or_default()
}

/// Adds the fields, unless the request was counted against nothing.
pub(crate) fn add_headers(rate_limit: &RateLimitSlot, headers: &mut HeaderMap) {
    let statuses = rate_limit.statuses();
    if statuses.is_empty() {
        return;
    }
    let (mut policy, mut limit) = (String::new(), String::new());
    for status in &statuses {
        let RateLimitStatus { quota, rate, level, wait } = *status;
        let separator = if policy.is_empty() { "" } else { ", " };
        let name = name(quota);
        let (burst, window) = (rate.burst.max(1), whole_seconds(rate.span()).max(1));
        // With a refusal this is the time of `Retry-After`, which must not be the shorter one.
        let reset = wait.unwrap_or(level.full_in);
        let (left, reset) = (level.remaining, whole_seconds(reset));
        // Writing to a `String` cannot fail.
        let _ = write!(policy, "{separator}\"{name}\";q={burst};w={window}");
        let _ = write!(limit, "{separator}\"{name}\";r={left};t={reset}");
    }
    for (name, value) in [(POLICY, policy), (LIMIT, limit)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

/// Returns the name of a limit in the fields.
const fn name(quota: Quota) -> &'static str {
    match quota {
        Quota::Content => "texts",
        Quota::Guests => "guests",
        Quota::LiveMessages => "messages",
        Quota::Registrations => "registrations",
        Quota::Requests => "requests",
        Quota::SandboxMessages => "sandbox-messages",
    }
}

/// Returns a time in seconds, rounded up.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
