//! Task: a name, a rhythm, and a function that says whether there is more to do.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};
use tokio::{task::yield_now, time::sleep};
use usecases::Error;

/// Longest pause after failures in an outage of the database, unless the task has a longer one.
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// End of a turn that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// There may be more to do, so that the next turn follows soon.
    Again,
    /// There is nothing to do for now.
    Idle,
}

/// Result of a turn.
pub type Turn = Result<Next, Error>;

/// Work that is repeated in turns as long as the instance runs.
#[must_use]
pub struct Task {
    pub(super) name: &'static str,
    pub(super) begins_later: bool,
    idle: Duration,
    again: Duration,
    retry: Duration,
    is_steady: bool,
    wake: Option<Wake>,
    work: Work,
}

type Work = Box<dyn FnMut() -> BoxFuture<'static, Turn> + Send>;
/// Waits for a signal, for at most the given time.
type Wake = Box<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send>;

impl Task {
    /// Creates a task that takes a turn with a clone of `state`, pauses for `idle` when there is
    /// nothing to do or after a failure, and goes on at once when there is more.
    pub fn every<S, F>(
        name: &'static str,
        idle: Duration,
        state: S,
        turn: impl Fn(S) -> F + Send + 'static,
    ) -> Self
    where
        S: Clone + Send + 'static,
        F: Future<Output = Turn> + Send + 'static,
    {
        Self {
            name,
            begins_later: false,
            idle,
            again: Duration::ZERO,
            retry: idle,
            is_steady: false,
            wake: None,
            work: Box::new(move || turn(state.clone()).boxed()),
        }
    }

    /// Sets the pause before the next turn when there is more to do, in which others may use what the
    /// task uses.
    pub fn again_after(self, again: Duration) -> Self {
        Self { again, ..self }
    }

    /// Sets the pause after a failure.
    pub fn retry_after(self, retry: Duration) -> Self {
        Self { retry, ..self }
    }

    /// Keeps the pause after failures as it is in an outage of the database, for a task whose delay
    /// others would notice.
    pub fn retry_steadily(self) -> Self {
        Self { is_steady: true, ..self }
    }

    /// Begins with the pause of an idle task: there is nothing to do when the instance starts.
    pub fn begin_later(self) -> Self {
        Self { begins_later: true, ..self }
    }

    /// Ends the pause of the idle task early, once `wait` has ended. It is given the longest time to
    /// wait.
    pub fn woken_by<S, F>(self, source: S, wait: impl Fn(S, Duration) -> F + Send + 'static) -> Self
    where
        S: Clone + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let wake: Wake = Box::new(move |limit| wait(source.clone(), limit).boxed());
        Self { wake: Some(wake), ..self }
    }

    /// Takes a turn.
    pub(super) async fn turn(&mut self) -> Turn {
        (self.work)().await
    }

    /// Returns the pause after a turn that succeeded.
    pub(super) fn pause(&self, next: Next) -> BoxFuture<'static, ()> {
        match (next, &self.wake) {
            // Others get their turn, also if this task never waits for anything.
            (Next::Again, _) if self.again.is_zero() => yield_now().boxed(),
            (Next::Again, _) => sleep(self.again).boxed(),
            (Next::Idle, Some(wake)) => wake(self.idle),
            (Next::Idle, None) => sleep(self.idle).boxed(),
        }
    }

    /// Returns the duration of the pause after that number of failures in a row. It grows in an
    /// outage of the database.
    pub(super) fn retry_pause(&self, failures: u32, is_outage: bool) -> Duration {
        if self.is_steady || !is_outage {
            return self.retry;
        }
        let grown = self.retry.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
        grown.min(LONGEST_RETRY.max(self.retry))
    }
}

/// Ends a turn in which a part of the work was done, if there was one.
pub fn again_if(is_done: Result<bool, impl Into<Error>>) -> Turn {
    is_done.map(|is_done| if is_done { Next::Again } else { Next::Idle }).map_err(Into::into)
}

/// Ends a turn in which that number of things was done. Others may wait, unless it was none.
pub fn again_if_any(done: Result<usize, impl Into<Error>>) -> Turn {
    again_if(done.map(|number| number > 0))
}

/// Ends a turn after which nothing is left to do.
pub fn then_idle<T>(done: Result<T, impl Into<Error>>) -> Turn {
    done.map(|_| Next::Idle).map_err(Into::into)
}
