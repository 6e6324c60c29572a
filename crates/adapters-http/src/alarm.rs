//! Warnings that a flood must not turn into a flood of lines.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

const PAUSE: Duration = Duration::from_secs(10);

/// Something to be warned of now and then, however often it happens.
#[derive(Debug, Default)]
pub(crate) struct Alarm(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How often it happened since it was told.
    times: u64,
    told_at: Option<Instant>,
}

impl Alarm {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State { times: 0, told_at: None }))
    }

    /// It happened. Returns how often since it was last told, if it is time to tell it.
    pub(crate) fn ring(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.told_at.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        state.told_at = Some(Instant::now());
        Some(std::mem::take(&mut state.times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_at_once_is_told_once() {
        let alarm = Alarm::new();
        assert_eq!(alarm.ring(), Some(1));
        assert_eq!((alarm.ring(), alarm.ring()), (None, None));
        alarm.0.lock().unwrap().told_at = None;
        assert_eq!(alarm.ring(), Some(3));
    }
}
