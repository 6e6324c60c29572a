//! A webhook endpoint whose calls fail.

use chrono::TimeDelta;

use super::{DAYS_LOOKED_AT, Facts, Recommendation, RecommendationCode, share_of};
use crate::{
    platform::analytics::number,
    shared::webhook_event::WebhookEvent,
    webhooks::webhook::{Deactivation, WebhookEndpoint},
};

/// Time for which an endpoint may fail before it is reported.
const TIMEOUT: TimeDelta = TimeDelta::hours(1);

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let failing = facts.webhook_endpoints.iter().filter_map(|endpoint| {
        let failed_for = facts.now - endpoint.failing_since.unwrap_or(facts.now);
        let is_reported = failed_for >= TIMEOUT || endpoint.deactivation.is_some();
        is_reported.then_some((endpoint, failed_for))
    });
    let (endpoint, failed_for) = failing.max_by_key(|(_, failed_for)| *failed_for)?;
    let hours = u64::try_from(failed_for.num_hours()).unwrap_or_default();
    let host = host(&endpoint.url);
    let (title, message) = match endpoint.deactivation {
        None => (
            format!("A webhook at {host} fails"),
            format!(
                "Calls of a webhook endpoint at {host} have failed for {}. It is deactivated when \
                 that has lasted for five days. Look at its deliveries, mend what answers there, \
                 and recover what failed.",
                duration(hours),
            ),
        ),
        Some(reason) => (
            format!("A webhook at {host} is deactivated"),
            format!(
                "A webhook endpoint at {host} was deactivated because {}. Nothing is told there any \
                 more. Activate it again and recover what it missed, or delete it.",
                match reason {
                    Deactivation::Gone => "it answered 410",
                    Deactivation::Failing => "its calls failed for five days",
                },
            ),
        ),
    };
    Some(Recommendation {
        code: RecommendationCode::WebhookFails,
        title,
        message,
        value: number(hours),
        messages_at_stake: at_stake(facts, endpoint, hours),
    })
}

/// Returns the number of messages whose status updates the endpoint missed.
fn at_stake(facts: &Facts, endpoint: &WebhookEndpoint, hours: u64) -> u64 {
    if !endpoint.subscribed_events().contain(WebhookEvent::MessageStatusUpdated) {
        return 0;
    }
    let looked_at = DAYS_LOOKED_AT * 24;
    share_of(facts.total().sent, hours.clamp(1, looked_at), looked_at)
}

/// Returns the host of a URL. The rest of it may be a secret, and all members of the organization see this.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn duration(hours: u64) -> String {
    match hours {
        0 | 1 => "an hour".to_owned(),
        2..48 => format!("{hours} hours"),
        _ => format!("{} days", hours / 24),
    }
}
