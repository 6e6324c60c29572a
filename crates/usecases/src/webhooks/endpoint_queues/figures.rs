//! Figures of calls.

use chrono::TimeDelta;
use metrics::{Counter, Histogram};
use ports::webhooks::webhook_queue::{AfterAttempt, DeliveryAttempt};

/// Outcomes of attempts, as the metrics count them.
const DELIVERED: &str = "DELIVERED";
const RETRIED: &str = "RETRIED";
const FAILED: &str = "FAILED";

/// Series of the figures, which are looked up once and not for each call.
pub(super) struct CallFigures {
    delivered: Counter,
    retried: Counter,
    failed: Counter,
    took: Histogram,
    delay: Histogram,
}

impl Default for CallFigures {
    fn default() -> Self {
        Self {
            delivered: attempts(DELIVERED),
            retried: attempts(RETRIED),
            failed: attempts(FAILED),
            took: metrics::histogram!("atumpan_webhook_call_duration_seconds"),
            delay: metrics::histogram!("atumpan_webhook_delay_seconds"),
        }
    }
}

impl CallFigures {
    /// Counts an attempt, and records its duration.
    pub(super) fn count(&self, attempt: &DeliveryAttempt) {
        let attempts = match attempt.next {
            AfterAttempt::Delivered => &self.delivered,
            AfterAttempt::Retry(_) => &self.retried,
            AfterAttempt::Failed => &self.failed,
        };
        attempts.increment(1);
        self.took.record(seconds(attempt.took));
    }

    /// Records the time for which a due delivery waited for its call.
    pub(super) fn record_delay(&self, delay: TimeDelta) {
        self.delay.record(seconds(delay));
    }
}

fn seconds(time: TimeDelta) -> f64 {
    time.to_std().unwrap_or_default().as_secs_f64()
}

/// Registers the counters of attempts, so that they exist before the first.
pub fn register_attempts() {
    for outcome in [DELIVERED, RETRIED, FAILED] {
        attempts(outcome).increment(0);
    }
}

fn attempts(outcome: &'static str) -> Counter {
    metrics::counter!("atumpan_webhook_attempts_total", "outcome" => outcome)
}
