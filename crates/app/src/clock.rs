//! The system's clock.

use chrono::{DateTime, SubsecRound, Utc};
use ports::shared::clock::Clock;

/// Tells the system's time.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port's one real clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }
}
