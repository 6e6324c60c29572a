//! Background tasks.

use futures_util::future::BoxFuture;

/// Task that has to run as long as a part of this crate is used. It ends when the part is dropped;
/// an earlier end is a fault that its runner should notice.
pub struct Task {
    /// Name in the log.
    pub name: &'static str,
    /// Future to run.
    pub run: BoxFuture<'static, ()>,
}

impl Task {
    pub(crate) fn new(name: &'static str, run: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { name, run: Box::pin(run) }
    }
}

/// Runs tasks on the current runtime without noticing when they end.
pub(crate) fn run_all(tasks: Vec<Task>) {
    for task in tasks {
        tokio::spawn(task.run);
    }
}
