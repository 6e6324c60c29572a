//! Faults and delays of the store, call by call.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{chance::Chance, scheduler::ProcessId};

/// Condition of the store, for all processes. Clones share it.
#[derive(Clone)]
pub(crate) struct Weather {
    chance: Chance,
    state: Arc<Mutex<State>>,
}

/// Frequencies of faults, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreFaults {
    /// Calls that fail before they are carried out.
    pub failures: u64,
    /// Calls that are carried out, but whose answers are lost.
    pub lost_answers: u64,
    /// Calls that take long.
    pub delays: u64,
}

struct State {
    faults: StoreFaults,
    /// Processes that cannot reach the store.
    cut_off: BTreeSet<ProcessId>,
    is_away: bool,
}

/// Course of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallFate {
    /// Time until the call arrives.
    pub before: Duration,
    /// Time that its answer takes.
    pub after: Duration,
    /// Fault of the call.
    pub fault: Option<Fault>,
}

/// Fault of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails, and was not carried out.
    Refused,
    /// The call is carried out, and fails nevertheless.
    AnswerLost,
}

impl Weather {
    /// Returns the condition of a store with these faults.
    pub(crate) fn new(chance: Chance, faults: StoreFaults) -> Self {
        let state = State { faults, cut_off: BTreeSet::new(), is_away: false };
        Self { chance, state: Arc::new(Mutex::new(state)) }
    }

    /// Ends all faults.
    pub(crate) fn calm_down(&self) {
        let mut state = self.state();
        state.faults = StoreFaults::default();
        state.cut_off.clear();
        state.is_away = false;
    }

    /// Makes the store unavailable for all processes, or available again.
    pub(crate) fn set_away(&self, is_away: bool) {
        self.state().is_away = is_away;
    }

    /// Cuts a process off from the store, or connects it again.
    pub(crate) fn cut_off(&self, process: ProcessId, is_cut_off: bool) {
        let mut state = self.state();
        if is_cut_off {
            state.cut_off.insert(process);
        } else {
            state.cut_off.remove(&process);
        }
    }

    /// Plans the next call of a process.
    pub(crate) fn next(&self, process: ProcessId) -> CallFate {
        let state = self.state();
        let StoreFaults { failures, lost_answers, delays } = state.faults;
        let is_away = state.is_away || state.cut_off.contains(&process);
        drop(state);
        let fault = if is_away || self.chance.happens(failures) {
            Some(Fault::Refused)
        } else {
            self.chance.happens(lost_answers).then_some(Fault::AnswerLost)
        };
        CallFate { before: self.wait(delays), after: self.wait(delays), fault }
    }

    /// Returns true if a process gives up a call that the store did not answer.
    pub(crate) fn is_given_up(&self) -> bool {
        self.chance.happens(125)
    }

    /// Returns a delay. Requests end within five seconds, and so do their statements.
    fn wait(&self, delays: u64) -> Duration {
        if self.chance.happens(delays) {
            self.chance.pause(20..=5_000)
        } else if self.chance.happens(300) {
            self.chance.pause(1..=10)
        } else {
            Duration::ZERO
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
