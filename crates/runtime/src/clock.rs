//! System clock.

use chrono::{DateTime, SubsecRound, Utc};
use ports::shared::clock::Clock;

/// [`Clock`] of the system.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the port's one real clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }
}
