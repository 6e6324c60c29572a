//! Runner: all that happens between the turns of tasks, which is the same for all of them.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use ports::shared::store::StoreError;
use tokio::time::{Instant, sleep};
use usecases::Error;

use super::{
    outages::Outages,
    states::{TaskState, TaskStates},
    task::{Next, Task},
};
use crate::supervisor::{Supervisor, panic_text};

/// Tasks that are about to start.
pub struct Runner {
    states: Arc<TaskStates>,
    outages: Arc<Outages>,
    tasks: Vec<Task>,
}

impl Runner {
    /// Creates a runner without tasks, which keeps their states in `states`.
    pub fn new(states: Arc<TaskStates>) -> Self {
        Self { states, outages: Arc::default(), tasks: Vec::new() }
    }

    /// Returns the outages of the database, whose ends wake the tasks that failed.
    pub fn outages(&self) -> Arc<Outages> {
        Arc::clone(&self.outages)
    }

    /// Adds a task. Its name must be its own.
    pub fn add(&mut self, task: Task) {
        self.tasks.push(task);
    }

    /// Adds tasks.
    pub fn add_all(&mut self, tasks: impl IntoIterator<Item = Task>) {
        for task in tasks {
            self.add(task);
        }
    }

    /// Runs the tasks until the supervisor stops them.
    pub fn start(self, supervisor: &mut Supervisor) {
        for task in self.tasks {
            let (name, state) = (task.name, self.states.add(task.name));
            supervisor.spawn(name, run(task, state, Arc::clone(&self.outages)));
        }
    }
}

/// Turn that failed.
enum Failure {
    Error(Error),
    Panic(String),
}

impl Failure {
    /// True if the database was away, or too busy.
    fn is_outage(&self) -> bool {
        matches!(self, Self::Error(Error::Store(StoreError::Unavailable(_))))
    }

    /// Returns the text that is shown. That of a panic is only logged.
    fn text(&self) -> String {
        match self {
            Self::Error(error) => error.to_string(),
            Self::Panic(_) => "it panicked; the log has the reason".to_owned(),
        }
    }

    /// Logs a failure. One that follows another is only of interest in the search for its cause.
    fn log(&self, task: &'static str, is_first: bool) {
        match self {
            Self::Panic(panic) => tracing::error!(task, panic, "a background task panicked"),
            Self::Error(error) if is_first => {
                tracing::warn!(task, %error, "a background task failed and is tried again");
            }
            Self::Error(error) => tracing::debug!(task, %error, "a background task failed again"),
        }
    }
}

async fn run(mut task: Task, state: Arc<TaskState>, outages: Arc<Outages>) {
    let mut outage_ends = outages.ends();
    if task.begins_later {
        let pause = task.pause(Next::Idle);
        pause.await;
    }
    let mut failures = 0_u32;
    loop {
        // An outage that ends during the turn ends the pause after it.
        outage_ends.mark_unchanged();
        let began = Instant::now();
        let ended = AssertUnwindSafe(task.turn()).catch_unwind().await;
        let failure = match ended {
            Ok(Ok(next)) => {
                failures = 0;
                if state.succeed(began.elapsed()) {
                    tracing::info!(task = task.name, "a background task works again");
                }
                let pause = task.pause(next);
                pause.await;
                continue;
            }
            Ok(Err(error)) => Failure::Error(error),
            Err(panic) => Failure::Panic(panic_text(panic.as_ref())),
        };
        failures = failures.saturating_add(1);
        let is_first = state.fail(&failure.text(), began.elapsed());
        failure.log(task.name, is_first);
        let pause = task.retry_pause(failures, failure.is_outage());
        tokio::select! {
            () = sleep(pause) => {}
            _ = outage_ends.changed() => {}
        }
    }
}

#[cfg(test)]
mod tests;
