//! Results of calls.

use chrono::{DateTime, Utc};
use domain::{
    shared::id::Id,
    webhooks::webhook::{CallOutcome, Deactivation, Failing, WebhookCallResult, next_attempt},
};
use ports::webhooks::webhook_queue::{AfterAttempt, DeliveryAttempt, EndpointChange};

use super::{CallTicket, EndpointQueues, queue::EndpointQueue};

/// Status of a receiver that no longer exists.
const GONE: u16 = 410;

impl EndpointQueues {
    /// Applies the result of a call. `jitter` is in thousandths.
    pub fn finish(
        &mut self,
        ticket: &CallTicket,
        result: WebhookCallResult,
        now: DateTime<Utc>,
        jitter: u16,
    ) {
        self.calls -= 1;
        self.slow_calls -= usize::from(ticket.is_slow);
        let attempt = attempt(ticket, result, jitter);
        self.figures.count(&attempt);
        let (key, subject) = (ticket.key, ticket.delivery.event.subject);
        let mut change = None;
        self.with_queue(key, |queue| {
            queue.end_call(Id::of(subject));
            change = judge(queue, &attempt, now);
        });
        if let Some(change) = change {
            let merged = match self.changes.remove(&key) {
                Some(earlier) => merge(earlier, Some(change)),
                None => change,
            };
            self.changes.insert(key, merged);
        }
        self.attempts.push(attempt);
        let mut endpoints = Vec::new();
        if let Some(share) = self.shares.get_mut(&key.organization) {
            share.calls -= 1;
            endpoints.clone_from(&share.endpoints);
        }
        for key in endpoints {
            self.queue_for_turn(key, now);
        }
    }
}

fn attempt(ticket: &CallTicket, result: WebhookCallResult, jitter: u16) -> DeliveryAttempt {
    let (status_code, failure, retry_after) = match result.outcome {
        CallOutcome::Answered { status, retry_after } => (Some(status), None, retry_after),
        CallOutcome::Failed(failure) => (None, Some(failure), None),
    };
    let earlier = ticket.delivery.attempts;
    let next = match next_attempt(earlier.saturating_add(1), retry_after, jitter) {
        _ if result.outcome.is_success() => AfterAttempt::Delivered,
        Some(delay) if status_code != Some(GONE) => AfterAttempt::Retry(delay),
        _ => AfterAttempt::Failed,
    };
    DeliveryAttempt {
        key: ticket.key,
        id: ticket.delivery.event.id,
        earlier,
        at: ticket.call.at,
        status_code,
        failure,
        took: result.took,
        next,
    }
}

/// Applies an attempt to its endpoint. Returns the change to be written, if any.
fn judge(
    queue: &mut EndpointQueue,
    attempt: &DeliveryAttempt,
    now: DateTime<Utc>,
) -> Option<EndpointChange> {
    let is_success = attempt.next == AfterAttempt::Delivered;
    queue.pace = queue.pace.after(is_success, attempt.took);
    queue.breaker = queue.breaker.after(is_success, now);
    let endpoint = queue.endpoint.as_mut()?;
    let unchanged = EndpointChange {
        key: attempt.key,
        has_succeeded: false,
        failing_since: endpoint.failing.map(|failing| failing.since),
        deactivation: None,
    };
    if is_success {
        endpoint.failing.take()?;
        return Some(EndpointChange { has_succeeded: true, failing_since: None, ..unchanged });
    }
    let known = endpoint.failing;
    let failing = *endpoint.failing.get_or_insert(Failing { since: attempt.at, notified_at: None });
    let deactivation = match attempt.status_code {
        Some(GONE) => Some(Deactivation::Gone),
        _ if failing.is_over(now) => Some(Deactivation::Failing),
        _ => None,
    };
    if let Some(reason) = deactivation {
        let (organization, endpoint) = (attempt.key.organization, attempt.key.endpoint);
        tracing::info!(%organization, %endpoint, reason = reason.as_str(), "deactivated a webhook endpoint");
        queue.leave();
    } else if known.is_some() {
        return None;
    }
    Some(EndpointChange { failing_since: Some(failing.since), deactivation, ..unchanged })
}

/// Merges a change with a later one.
pub(super) fn merge(earlier: EndpointChange, later: Option<EndpointChange>) -> EndpointChange {
    let Some(later) = later else { return earlier };
    let failing_since = if later.has_succeeded {
        later.failing_since
    } else {
        earlier.failing_since.or(later.failing_since)
    };
    EndpointChange {
        key: later.key,
        has_succeeded: earlier.has_succeeded || later.has_succeeded,
        failing_since,
        deactivation: later.deactivation.or(earlier.deactivation),
    }
}
