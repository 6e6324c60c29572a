//! Background tasks, and the reaction to their end.

use std::{any::Any, collections::HashMap, future};

use thiserror::Error;
use tokio::task::{Id, JoinError, JoinSet};

/// Tasks that run as long as the service does. Dropping it ends them.
#[derive(Debug, Default)]
pub struct Supervisor {
    tasks: JoinSet<()>,
    names: HashMap<Id, &'static str>,
}

/// Error for a task that ended before the service.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("the task {name:?} {end}")]
pub struct TaskEnded {
    name: &'static str,
    end: End,
}

#[derive(Debug, PartialEq, Eq, Error)]
enum End {
    #[error("panicked: {0}")]
    Panicked(String),
    #[error("was cancelled")]
    Cancelled,
    #[error("returned")]
    Returned,
}

impl Supervisor {
    /// Runs a task on the current runtime. The log shows its name.
    pub fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.names.insert(handle.id(), name);
    }

    /// Waits for the first task to end; for ever if there is none.
    pub async fn ended(&mut self) -> TaskEnded {
        let Some(ended) = self.tasks.join_next_with_id().await else {
            return future::pending().await;
        };
        let (id, end) = match ended {
            Ok((id, ())) => (id, End::Returned),
            Err(error) => (error.id(), End::of(error)),
        };
        TaskEnded { name: self.names.remove(&id).unwrap_or("unknown"), end }
    }

    /// Waits for every task to end by itself.
    pub async fn all_ended(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Ends all tasks, and waits until they have ended.
    pub async fn stop(&mut self) {
        self.tasks.shutdown().await;
    }
}

impl End {
    fn of(error: JoinError) -> Self {
        match error.try_into_panic() {
            Ok(panic) => Self::Panicked(panic_text(panic.as_ref())),
            Err(_) => Self::Cancelled,
        }
    }
}

/// Returns the message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "without a text".to_owned())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_named_while_the_others_go_on() {
        let mut supervisor = Supervisor::default();
        supervisor.spawn("patient", future::pending());
        supervisor.spawn("clumsy", async { panic!("it fell over {}", "a stone") });

        let ended = supervisor.ended().await;

        assert_eq!(ended.to_string(), "the task \"clumsy\" panicked: it fell over a stone");
        assert_eq!(supervisor.ended().now_or_never(), None);
    }

    #[tokio::test]
    async fn a_task_that_returns_is_named_too() {
        let mut supervisor = Supervisor::default();
        supervisor.spawn("short", future::ready(()));

        assert_eq!(supervisor.ended().await.to_string(), "the task \"short\" returned");
    }

    #[tokio::test]
    async fn stopping_ends_every_task() {
        let mut supervisor = Supervisor::default();
        let (held, mut watch) = tokio::sync::oneshot::channel::<()>();
        supervisor.spawn("holder", async move {
            let _held = held;
            future::pending::<()>().await;
        });

        supervisor.stop().await;

        assert!(
            watch
                .try_recv()
                .is_err_and(|it| it == tokio::sync::oneshot::error::TryRecvError::Closed)
        );
    }
}
