//! Work that goes on in the background.

use futures_util::future::BoxFuture;

/// What has to run for as long as a part of this crate is used. It ends when the part is dropped;
/// an end before that is a fault, so whoever runs it should notice.
pub struct Task {
    /// What it is called in the log.
    pub name: &'static str,
    /// What it does.
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
