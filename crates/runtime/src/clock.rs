//! System clock.

use chrono::{DateTime, Utc};
use ports::shared::clock::Clock;

/// [`Clock`] of the system.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port's one real clock")]
    fn now(&self) -> DateTime<Utc> {
        let now = Utc::now();
        // Quicker than to subtract the rest, and a message asks two dozen times.
        DateTime::from_timestamp_millis(now.timestamp_millis()).unwrap_or(now)
    }
}
