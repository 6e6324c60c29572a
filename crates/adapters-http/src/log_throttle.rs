//! Warnings about frequent events: one line in ten seconds, with the number of events.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Minimum time between two lines.
const PAUSE: Duration = Duration::from_secs(10);

/// Counts an event, and decides if a line about it is due.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Number of events since the last line.
    times: u64,
    logged_at: Option<Instant>,
}

impl LogThrottle {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State { times: 0, logged_at: None }))
    }

    /// Counts an event. Returns the number of events since the last line if another one is due.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.logged_at.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        state.logged_at = Some(Instant::now());
        Some(std::mem::take(&mut state.times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_simultaneous_events_once() {
        let throttle = LogThrottle::new();
        assert_eq!(throttle.count(), Some(1));
        assert_eq!((throttle.count(), throttle.count()), (None, None));
        throttle.0.lock().unwrap().logged_at = None;
        assert_eq!(throttle.count(), Some(3));
    }
}
