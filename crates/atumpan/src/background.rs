//! Background tasks of every store.

use std::{sync::Arc, time::Duration};

use ports::{
    messaging::scheduled_messages::ScheduledMessageRepository,
    shared::{
        clock::Clock,
        signals::{DueWork, WakeSignal},
    },
};
use runtime::{
    background::{Task, Turn, again_if_any, then_idle},
    signals::OwnSignals,
};
use usecases::{messaging::callbacks::Callbacks, providers::provider_registry::Providers};

/// Interval between reads of the states of providers, and between checks for those whose reports are missing.
const STATES: Duration = Duration::from_secs(1);
const JUDGE: Duration = Duration::from_secs(30);
/// Interval between retries of reports that came before their messages were known, and between deletions of
/// those that matched none.
const SWEEP: Duration = Duration::from_secs(1);
const FORGETTING: Duration = Duration::from_secs(10);
/// Interval between looks for scheduled messages that are due.
const SCHEDULES: Duration = Duration::from_millis(500);

/// Returns the tasks for providers and their reports.
pub(crate) fn of_providers(
    providers: &Arc<Providers>,
    callbacks: &Callbacks,
    clock: &Arc<dyn Clock>,
) -> Vec<Task> {
    let states = || (Arc::clone(providers), Arc::clone(clock));
    vec![
        Task::every("states of providers", STATES, states(), |(providers, clock)| async move {
            then_idle(providers.states().refresh(clock.now()).await)
        }),
        Task::every("judging of silence", JUDGE, states(), |(providers, clock)| async move {
            then_idle(providers.states().judge(clock.now()).await)
        }),
        Task::every("sweep of kept reports", SWEEP, callbacks.clone(), |callbacks| async move {
            then_idle(callbacks.sweep().await)
        })
        .begin_later(),
        Task::every(
            "deletion of reports that matched nothing",
            FORGETTING,
            callbacks.clone(),
            |callbacks| async move { then_idle(callbacks.forget_old().await) },
        )
        .begin_later(),
    ]
}

/// Returns the task that makes scheduled messages due.
pub(crate) fn of_schedules(
    scheduled: Arc<dyn ScheduledMessageRepository>,
    signals: &Arc<OwnSignals>,
) -> Task {
    let state = (scheduled, Arc::clone(signals));
    Task::every("release of scheduled messages", SCHEDULES, state, release).retry_steadily()
}

async fn release(
    (scheduled, signals): (Arc<dyn ScheduledMessageRepository>, Arc<OwnSignals>),
) -> Turn {
    let released = scheduled.release_due().await;
    if matches!(released, Ok(1..)) {
        signals.signal(DueWork::Messages);
    }
    again_if_any(released)
}
