//! States of tasks, for metrics and for operators.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use metrics::{Counter, Gauge};
use ports::{
    platform::background_tasks::{BackgroundTaskProbe, BackgroundTaskState},
    shared::clock::Clock,
};

/// Maximum number of characters kept of an error.
const ERROR: usize = 300;

/// States of the tasks of an instance.
pub struct TaskStates {
    clock: Arc<dyn Clock>,
    tasks: Mutex<Vec<Arc<TaskState>>>,
}

impl TaskStates {
    /// Creates the states of no tasks.
    pub fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, tasks: Mutex::default() })
    }

    /// Adds a task that has not begun.
    pub(super) fn add(&self, name: &'static str) -> Arc<TaskState> {
        let state = Arc::new(TaskState::new(name, Arc::clone(&self.clock)));
        self.tasks().push(Arc::clone(&state));
        state
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<Arc<TaskState>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BackgroundTaskProbe for TaskStates {
    fn states(&self) -> Vec<BackgroundTaskState> {
        let mut states: Vec<_> = self.tasks().iter().map(|task| task.state().clone()).collect();
        states.sort_by_key(|state| state.name);
        states
    }
}

/// State of a task.
pub(super) struct TaskState {
    clock: Arc<dyn Clock>,
    state: Mutex<BackgroundTaskState>,
    metrics: TaskMetrics,
}

/// Metrics of a task, created once.
struct TaskMetrics {
    last_success: Gauge,
    failing_since: Gauge,
    failures: Counter,
}

impl TaskState {
    fn new(name: &'static str, clock: Arc<dyn Clock>) -> Self {
        let state = BackgroundTaskState { name, ..BackgroundTaskState::default() };
        Self { clock, state: Mutex::new(state), metrics: TaskMetrics::new(name) }
    }

    /// Notes a turn that succeeded. Returns true if the one before failed.
    pub(super) fn succeed(&self, duration: Duration) -> bool {
        let now = self.clock.now();
        let mut state = self.state();
        state.turns += 1;
        state.last_duration = duration;
        state.last_succeeded_at = Some(now);
        self.metrics.last_success.set(seconds(now));
        let has_failed = state.failing_since.take().is_some();
        if has_failed {
            self.metrics.failing_since.set(0.0);
        }
        has_failed
    }

    /// Notes a turn that failed. Returns true if the one before did not.
    pub(super) fn fail(&self, error: &str, duration: Duration) -> bool {
        let now = self.clock.now();
        let mut state = self.state();
        state.turns += 1;
        state.failures += 1;
        state.last_duration = duration;
        state.last_error = Some(error.chars().take(ERROR).collect());
        self.metrics.failures.increment(1);
        let is_first = state.failing_since.is_none();
        if is_first {
            state.failing_since = Some(now);
            self.metrics.failing_since.set(seconds(now));
        }
        is_first
    }

    fn state(&self) -> MutexGuard<'_, BackgroundTaskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskMetrics {
    fn new(name: &'static str) -> Self {
        let metrics = Self {
            last_success: metrics::gauge!(
                "atumpan_background_task_last_success_timestamp_seconds",
                "task" => name
            ),
            failing_since: metrics::gauge!(
                "atumpan_background_task_failing_since_timestamp_seconds",
                "task" => name
            ),
            failures: metrics::counter!("atumpan_background_task_failures_total", "task" => name),
        };
        metrics.failing_since.set(0.0);
        metrics
    }
}

/// Returns a time as a metric shows it.
fn seconds(at: DateTime<Utc>) -> f64 {
    u32::try_from(at.timestamp()).map_or(0.0, f64::from)
}
