//! Scheduler on one thread. Chance decides which ready task goes on next, and processes end amid
//! their work.
//!
//! It is a future of its own, polled by a tokio runtime whose time is paused: tasks that wait for
//! tokio's timers work, and time passes as soon as no task is ready.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{FutureExt, future::BoxFuture, task::AtomicWaker};
use tokio::sync::oneshot;

use crate::{chance::Chance, trace::Trace};

/// Process: tasks that end together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId(pub u64);

impl ProcessId {
    /// Tasks outside all processes, which never end.
    pub const WORLD: Self = Self(0);
}

/// Identifier of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(u64);

/// Scheduler of processes and tasks. Clones share its state.
#[derive(Clone)]
pub struct Scheduler {
    tasks: Arc<Tasks>,
    chance: Chance,
    trace: Trace,
}

#[derive(Default)]
struct Tasks {
    state: Mutex<State>,
    runner: AtomicWaker,
}

#[derive(Default)]
struct State {
    tasks: BTreeMap<TaskId, Task>,
    ready: Vec<TaskId>,
    processes: BTreeMap<ProcessId, Process>,
    last_task: u64,
    polls: u64,
}

struct Task {
    process: ProcessId,
    /// Future of the task; `None` while it is polled.
    future: Option<BoxFuture<'static, ()>>,
    waker: Waker,
    is_ready: bool,
}

struct Process {
    is_frozen: bool,
    /// Number of polls so far, and number after which the process ends.
    polls: u64,
    ends_after: Option<u64>,
    on_end: Arc<dyn Fn() + Send + Sync>,
}

impl Scheduler {
    /// Creates a scheduler without tasks.
    pub fn new(chance: Chance, trace: Trace) -> Self {
        Self { tasks: Arc::default(), chance, trace }
    }

    /// Begins a process. `on_end` is called when it crashes, before anything else happens.
    pub fn begin_process(&self, process: ProcessId, on_end: impl Fn() + Send + Sync + 'static) {
        let on_end = Arc::new(on_end);
        let begun = Process { is_frozen: false, polls: 0, ends_after: None, on_end };
        self.tasks.state().processes.insert(process, begun);
    }

    /// Runs a task as part of a process; the task is dropped if the process has ended.
    pub fn spawn(
        &self,
        process: ProcessId,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> TaskId {
        let mut state = self.tasks.state();
        state.last_task += 1;
        let id = TaskId(state.last_task);
        if process != ProcessId::WORLD && !state.processes.contains_key(&process) {
            drop(state);
            drop(task);
            return id;
        }
        let waker = Waker::from(Arc::new(TaskWaker { id, tasks: Arc::downgrade(&self.tasks) }));
        let task = Task { process, future: Some(task.boxed()), waker, is_ready: true };
        state.tasks.insert(id, task);
        state.ready.push(id);
        drop(state);
        self.tasks.runner.wake();
        id
    }

    /// Runs a task as part of a process, and returns a receiver of its result. The result is lost
    /// if the task is dropped before.
    pub fn ask<T: Send + 'static>(
        &self,
        process: ProcessId,
        task: impl Future<Output = T> + Send + 'static,
    ) -> (TaskId, oneshot::Receiver<T>) {
        let (sender, answer) = oneshot::channel();
        let id = self.spawn(process, async move {
            let _ = sender.send(task.await);
        });
        (id, answer)
    }

    /// Drops a task at its present point. Returns false if it had ended.
    pub fn abort(&self, task: TaskId) -> bool {
        let aborted = self.tasks.state().remove(task);
        aborted.is_some()
    }

    /// Ends a process now: all its tasks are dropped at their present points. Returns false if it
    /// had ended.
    pub fn crash(&self, process: ProcessId) -> bool {
        let mut state = self.tasks.state();
        let Some(ended) = state.processes.remove(&process) else { return false };
        let tasks: Vec<_> = state
            .tasks
            .iter()
            .filter_map(|(id, task)| (task.process == process).then_some(*id))
            .collect();
        let dropped: Vec<_> = tasks.into_iter().map(|id| state.remove(id)).collect();
        drop(state);
        self.trace.note(format_args!("i{} crashes after {} polls", process.0, ended.polls));
        (ended.on_end)();
        drop(dropped);
        true
    }

    /// Ends a process after that number of further polls.
    pub fn crash_after(&self, process: ProcessId, polls: u64) {
        if let Some(process) = self.tasks.state().processes.get_mut(&process) {
            process.ends_after = Some(process.polls + polls);
        }
    }

    /// Cancels the planned crash of a process.
    pub fn spare(&self, process: ProcessId) {
        if let Some(process) = self.tasks.state().processes.get_mut(&process) {
            process.ends_after = None;
        }
    }

    /// Returns the number of polls of a process; `None` if it has ended.
    pub fn polls(&self, process: ProcessId) -> Option<u64> {
        self.tasks.state().processes.get(&process).map(|process| process.polls)
    }

    /// Returns the number of polls of all tasks.
    pub fn all_polls(&self) -> u64 {
        self.tasks.state().polls
    }

    /// Freezes a process, or resumes it. Time passes meanwhile.
    pub fn freeze(&self, process: ProcessId, is_frozen: bool) {
        if let Some(process) = self.tasks.state().processes.get_mut(&process) {
            process.is_frozen = is_frozen;
        }
        self.tasks.runner.wake();
    }

    /// Runs until `main` has ended, and returns its result.
    pub async fn run<T: Send + 'static>(
        &self,
        main: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (_, mut answer) = self.ask(ProcessId::WORLD, main);
        let running = std::future::poll_fn(|context| {
            self.tasks.runner.register(context.waker());
            while let Some((id, process, future, waker)) = self.next() {
                self.trace.poll(process.0, id.0);
                self.poll(id, process, future, &waker);
                match answer.try_recv() {
                    Ok(result) => return Poll::Ready(Some(result)),
                    Err(oneshot::error::TryRecvError::Closed) => return Poll::Ready(None),
                    Err(oneshot::error::TryRecvError::Empty) => {}
                }
            }
            Poll::Pending
        });
        // Otherwise tokio would make the runner yield, and time would pass although there is work.
        let result = tokio::task::unconstrained(running).await;
        self.drop_all();
        result
    }

    fn next(&self) -> Option<NextTask> {
        self.tasks.state().next(&self.chance)
    }

    fn poll(
        &self,
        id: TaskId,
        process: ProcessId,
        mut future: BoxFuture<'static, ()>,
        waker: &Waker,
    ) {
        let polled = future.poll_unpin(&mut Context::from_waker(waker));
        let mut state = self.tasks.state();
        match polled {
            Poll::Ready(()) => drop(state.remove(id)),
            Poll::Pending => {
                if let Some(task) = state.tasks.get_mut(&id) {
                    task.future = Some(future);
                }
            }
        }
        let is_over = state.processes.get_mut(&process).is_some_and(Process::count_poll);
        drop(state);
        if is_over {
            self.crash(process);
        }
    }

    fn drop_all(&self) {
        let mut state = self.tasks.state();
        let dropped = std::mem::take(&mut *state);
        drop(state);
        drop(dropped);
    }
}

impl Process {
    /// Counts a poll. Returns true if it was the last one.
    fn count_poll(&mut self) -> bool {
        self.polls += 1;
        self.ends_after.is_some_and(|polls| self.polls >= polls)
    }
}

impl Tasks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type NextTask = (TaskId, ProcessId, BoxFuture<'static, ()>, Waker);

impl State {
    /// Returns one of the ready tasks of processes that are not frozen.
    fn next(&mut self, chance: &Chance) -> Option<NextTask> {
        let is_frozen = |process| self.processes.get(&process).is_some_and(|it| it.is_frozen);
        let is_any_frozen = self.processes.values().any(|process| process.is_frozen);
        let place = if is_any_frozen {
            let tasks = &self.tasks;
            let thawed = |id: &TaskId| tasks.get(id).is_some_and(|task| !is_frozen(task.process));
            let places: Vec<_> =
                (0..self.ready.len()).filter(|place| thawed(&self.ready[*place])).collect();
            *chance.pick(&places)?
        } else if self.ready.is_empty() {
            return None;
        } else {
            chance.index(self.ready.len())
        };
        let id = self.ready.swap_remove(place);
        self.polls += 1;
        let task = self.tasks.get_mut(&id)?;
        task.is_ready = false;
        let waker = task.waker.clone();
        Some((id, task.process, task.future.take()?, waker))
    }

    fn remove(&mut self, id: TaskId) -> Option<Task> {
        let task = self.tasks.remove(&id)?;
        if task.is_ready {
            self.ready.retain(|ready| *ready != id);
        }
        Some(task)
    }
}

struct TaskWaker {
    id: TaskId,
    tasks: Weak<Tasks>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Some(tasks) = self.tasks.upgrade() else { return };
        let mut state = tasks.state();
        let is_new = match state.tasks.get_mut(&self.id) {
            Some(task) if !task.is_ready => {
                task.is_ready = true;
                true
            }
            _ => false,
        };
        if is_new {
            state.ready.push(self.id);
        }
        drop(state);
        tasks.runner.wake();
    }
}

/// Lets other tasks go first.
pub async fn give_way() {
    let mut has_waited = false;
    std::future::poll_fn(|context| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
