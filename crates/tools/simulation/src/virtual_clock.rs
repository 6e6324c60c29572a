//! Time that passes only when nothing is left to do.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use ports::shared::clock::Clock;
use tokio::time::Instant;

/// Time at which every world begins.
const BEGINNING: DateTime<Utc> = DateTime::from_timestamp_nanos(1_800_000_000_000_000_000);

/// Clock over the paused time of the runtime, which may be wrong by some seconds.
#[derive(Debug, Clone, Copy)]
pub struct VirtualClock {
    began: Instant,
    error: TimeDelta,
}

impl VirtualClock {
    /// Starts a clock that is right. Works only within a runtime whose time is paused.
    pub fn start() -> Self {
        Self { began: Instant::now(), error: TimeDelta::zero() }
    }

    /// Returns the same clock, always wrong by `error`.
    #[must_use]
    pub fn wrong_by(self, error: TimeDelta) -> Self {
        Self { error, ..self }
    }

    /// Returns the age of the world.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> DateTime<Utc> {
        (BEGINNING + self.began.elapsed() + self.error).trunc_subsecs(3)
    }
}
