//! Warnings of what may happen very often: one line in ten seconds, with how often it happened.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long to wait between two lines.
const PAUSE: Duration = Duration::from_secs(10);

/// Counts an event, and says when to write a line about it.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How often it happened since the last line.
    times: u64,
    logged_at: Option<Instant>,
}

impl LogThrottle {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State { times: 0, logged_at: None }))
    }

    /// Counts one more. Returns how many there were since the last line if it is time for another.
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
    fn what_happens_at_once_is_logged_once() {
        let throttle = LogThrottle::new();
        assert_eq!(throttle.count(), Some(1));
        assert_eq!((throttle.count(), throttle.count()), (None, None));
        throttle.0.lock().unwrap().logged_at = None;
        assert_eq!(throttle.count(), Some(3));
    }
}
