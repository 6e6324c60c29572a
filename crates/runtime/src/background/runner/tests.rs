//! Rules of the runner, under a clock that jumps from one pause to the next.

use std::{
    io,
    sync::{
        Mutex, Once,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use ports::{
    platform::background_tasks::{BackgroundTaskProbe, BackgroundTaskState},
    shared::mock::MockClock,
};
use tokio::{sync::Notify, time::timeout};

use super::*;
use crate::background::Turn;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
const SECOND: Duration = Duration::from_secs(1);
const MOMENT: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_secs(10);
const NEARLY_IDLE: Duration = Duration::from_millis(9_985);

/// Guards the installation of a subscriber before the first line of the log: one that is passed
/// without a subscriber may be taken for disabled, also by a test that subscribes later.
static LISTEN: Once = Once::new();

/// Task that runs.
struct Running {
    states: Arc<TaskStates>,
    outages: Arc<Outages>,
    supervisor: Supervisor,
}

impl Running {
    fn start(task: Task) -> Self {
        LISTEN.call_once(|| {
            let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
        });
        let began = Instant::now();
        let mut clock = MockClock::new();
        let now = move || NOW + TimeDelta::from_std(began.elapsed()).unwrap();
        clock.expect_now().returning(now);
        let states = TaskStates::new(Arc::new(clock));
        let mut runner = Runner::new(Arc::clone(&states));
        let outages = runner.outages();
        runner.add(task);
        let mut supervisor = Supervisor::default();
        runner.start(&mut supervisor);
        Self { states, outages, supervisor }
    }

    fn state(&self) -> BackgroundTaskState {
        self.states.states().pop().unwrap()
    }
}

/// Returns a task whose turns, from 0, end as `turn` says.
fn task(turn: impl Fn(u64) -> Turn + Send + Sync + 'static) -> Task {
    let state = (Arc::new(AtomicU64::new(0)), Arc::new(turn));
    Task::every("erasure", IDLE, state, |(turns, turn)| async move {
        turn(turns.fetch_add(1, Ordering::Relaxed))
    })
}

fn away() -> Error {
    Error::Store(StoreError::Unavailable("it is away".into()))
}

fn broken() -> Error {
    Error::Store(StoreError::Internal("no such table".into()))
}

#[tokio::test(start_paused = true)]
async fn turns_follow_each_other_while_there_is_more_to_do_and_pause_when_there_is_not() {
    let running = Running::start(task(|turn| Ok(if turn < 3 { Next::Again } else { Next::Idle })));

    sleep(MOMENT).await;
    assert_eq!(running.state().turns, 4);
    sleep(NEARLY_IDLE).await;
    assert_eq!(running.state().turns, 4);
    sleep(2 * MOMENT).await;
    assert_eq!(running.state().turns, 5);
}

#[tokio::test(start_paused = true)]
async fn others_get_a_pause_between_turns_that_ask_for_it() {
    let running = Running::start(task(|_| Ok(Next::Again)).again_after(SECOND));

    sleep(3 * SECOND + MOMENT).await;

    assert_eq!(running.state().turns, 4);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_begins_later_pauses_first() {
    let running = Running::start(task(|_| Ok(Next::Idle)).begin_later());

    sleep(NEARLY_IDLE).await;
    assert_eq!(running.state(), BackgroundTaskState { name: "erasure", ..Default::default() });
    sleep(2 * MOMENT).await;
    assert_eq!(running.state().turns, 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_counted_and_the_task_goes_on() {
    let turn = |turn: u64| if turn == 0 { panic!("it fell over a stone") } else { Ok(Next::Idle) };
    let mut running = Running::start(task(turn).retry_after(SECOND));

    sleep(MOMENT).await;
    let state = running.state();
    assert_eq!((state.turns, state.failures, state.failing_since), (1, 1, Some(NOW)));
    assert!(!state.last_error.unwrap().contains("stone"), "only the log has the text");
    sleep(SECOND).await;
    let state = running.state();
    assert_eq!((state.turns, state.failures, state.failing_since), (2, 1, None));
    assert_eq!(running.supervisor.ended().now_or_never(), None);
}

#[tokio::test(start_paused = true)]
async fn a_state_shows_since_when_a_task_fails_and_when_it_succeeded() {
    let turn = |turn: u64| if turn < 3 { Err(broken()) } else { Ok(Next::Idle) };
    let running = Running::start(task(turn).retry_after(SECOND));

    sleep(2 * SECOND + MOMENT).await;
    let failing = running.state();
    assert!(failing.is_failing());
    assert_eq!((failing.turns, failing.failures), (3, 3));
    assert_eq!((failing.failing_since, failing.last_succeeded_at), (Some(NOW), None));
    assert_eq!(failing.last_error.as_deref(), Some("the store failed: no such table"));

    sleep(SECOND).await;
    let state = running.state();
    let succeeded_at = state.last_succeeded_at.unwrap() - NOW;
    assert_eq!(succeeded_at.num_seconds(), 3);
    assert_eq!((state.turns, state.failures, state.failing_since), (4, 3, None));
    assert_eq!(state.last_error, failing.last_error);
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_up_to_half_a_minute_in_an_outage_only() {
    let in_outage = Running::start(task(|_| Err(away())).retry_after(SECOND));
    let steady = Running::start(task(|_| Err(away())).retry_after(SECOND).retry_steadily());
    let broken = Running::start(task(|_| Err(broken())).retry_after(SECOND));

    sleep(70 * SECOND + SECOND / 2).await;

    // After 0, 1, 3, 7, 15, 31 and 61 seconds.
    assert_eq!(in_outage.state().turns, 7);
    assert_eq!((steady.state().turns, broken.state().turns), (71, 71));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_outage_ends_the_pauses_of_tasks_that_failed() {
    let running = Running::start(task(|_| Err(away())));
    sleep(MOMENT).await;
    assert_eq!(running.state().turns, 1);

    for answers in [true, false, false, true, true] {
        running.outages.note(answers);
    }
    sleep(MOMENT).await;
    assert_eq!(running.state().turns, 2);

    running.outages.note(true);
    sleep(MOMENT).await;
    assert_eq!(running.state().turns, 2);
}

#[tokio::test(start_paused = true)]
async fn a_signal_ends_the_pause_of_an_idle_task() {
    let signal = Arc::new(Notify::new());
    let task = task(|_| Ok(Next::Idle)).woken_by(Arc::clone(&signal), |signal, limit| async move {
        let _ = timeout(limit, signal.notified()).await;
    });
    let running = Running::start(task);
    sleep(SECOND).await;
    assert_eq!(running.state().turns, 1);

    signal.notify_one();
    sleep(MOMENT).await;
    assert_eq!(running.state().turns, 2);
    sleep(IDLE).await;
    assert_eq!(running.state().turns, 3);
}

/// Log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_says_once_that_a_task_fails_and_once_that_it_works_again() {
    let turn = |turn: u64| if turn < 5 { Err(broken()) } else { Ok(Next::Idle) };
    let log = Log::default();
    let writer = log.clone();
    let running = Running::start(task(turn).retry_after(SECOND));
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(move || writer.clone());
    let listening = tracing::subscriber::set_default(subscriber.finish());

    sleep(30 * SECOND).await;

    drop(listening);
    assert_eq!(running.state().failures, 5);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<_> = log.lines().collect();
    let [failed, works] = lines.as_slice() else { panic!("not two lines: {log}") };
    for part in ["WARN", "task=\"erasure\"", "no such table"] {
        assert!(failed.contains(part), "{part}: {failed}");
    }
    assert!(works.contains("INFO") && works.contains("task=\"erasure\""), "{works}");
}
