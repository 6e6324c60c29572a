//! States of the background tasks of this instance.
//!
//! ```
//! use ports::platform::background_tasks::BackgroundTaskProbe;
//!
//! fn failing(probe: &dyn BackgroundTaskProbe) -> usize {
//!     probe.states().iter().filter(|state| state.is_failing()).count()
//! }
//! ```

use std::time::Duration;

use chrono::{DateTime, Utc};

/// Reports the states of the background tasks of this instance.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait BackgroundTaskProbe: Send + Sync {
    /// Returns the states of all tasks, ordered by their names. Returns at once, from memory.
    fn states(&self) -> Vec<BackgroundTaskState>;
}

/// State of a background task since the instance started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackgroundTaskState {
    /// Name for people.
    pub name: &'static str,
    /// End of its last turn without an error; `None` if there was none.
    pub last_succeeded_at: Option<DateTime<Utc>>,
    /// Time of the first of the failures since it last succeeded; `None` while it works.
    pub failing_since: Option<DateTime<Utc>>,
    /// Text of its last error, also while it works again; `None` if there was none.
    pub last_error: Option<String>,
    /// Number of its turns.
    pub turns: u64,
    /// Number of turns that failed.
    pub failures: u64,
    /// Duration of the last turn.
    pub last_duration: Duration,
}

impl BackgroundTaskState {
    /// True if its last turn failed.
    pub fn is_failing(&self) -> bool {
        self.failing_since.is_some()
    }
}
