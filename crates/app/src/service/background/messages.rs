//! Tasks for messages: those that become due, those that are sent again, codes, and exports of the log.

use std::{sync::Arc, time::Duration};

use ports::{
    messaging::scheduled_messages::ScheduledMessageRepository,
    shared::{
        signals::{DueWork, WakeSignal},
        store::StoreError,
    },
};
use usecases::messaging::{holding::Holding, log_exports::LogExportWork, resends::ResendWork};

use crate::{
    background::{Task, Turn, again_if, again_if_any},
    service::{stores::BackgroundStores, wiring::Wiring},
    signals::Signals,
};

/// Interval between looks for messages that are no longer held, and for scheduled ones that are due.
const HELD: Duration = Duration::from_secs(1);
const SCHEDULES: Duration = Duration::from_millis(500);
/// Interval between looks for codes that have become too old.
const CODES: Duration = Duration::from_secs(20);
/// Interval between looks for messages to send again, and for exports, and pause after a failure.
const LOOK: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(5);
/// Pause between turns of an export, so that others who use the database do not wait for all of it.
const STEP: Duration = Duration::from_millis(20);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let writers = || Arc::clone(&stores.writers);
    let queues = || Arc::clone(&stores.queues);
    let signals = || Arc::clone(&wiring.core.signals);
    let holding = wiring.core.holding.through(writers(), writers(), writers());
    let scheduled = wiring.core.jobs.scheduled_messages((*stores.writers).clone());
    let scheduled: Arc<dyn ScheduledMessageRepository> = Arc::new(scheduled);
    let messages = wiring.api.messages.clone();
    let resends = ResendWork::new(queues(), queues(), messages, wiring.core.policies.clone());
    let exports = LogExportWork::new(queues(), queues());
    vec![
        // A locked row may make a release fail, and messages are not to wait longer than the lock.
        Task::every("release of held messages", HELD, (holding, signals()), release_held)
            .retry_steadily(),
        Task::every(
            "release of scheduled messages",
            SCHEDULES,
            (scheduled, signals()),
            release_scheduled,
        )
        .retry_steadily(),
        Task::every("masking of codes", CODES, writers(), |store| async move {
            // Codes of the next minute are due as well.
            again_if(store.mask_old_codes().await)
        }),
        Task::every("repetition of failed messages", LOOK, resends, |resends| async move {
            again_if(resends.work_once().await)
        })
        .retry_after(RETRY),
        Task::every("exports of the log", LOOK, exports, |exports| async move {
            again_if(exports.work_once().await)
        })
        .again_after(STEP)
        .retry_after(RETRY),
    ]
}

/// Releases the messages of campaigns that go on, or were cancelled.
async fn release_held((holding, signals): (Holding, Arc<Signals>)) -> Turn {
    after_release(holding.release().await, &signals)
}

/// Makes scheduled messages due.
async fn release_scheduled(
    (repository, signals): (Arc<dyn ScheduledMessageRepository>, Arc<Signals>),
) -> Turn {
    after_release(repository.release_due().await, &signals)
}

fn after_release(released: Result<usize, StoreError>, signals: &Signals) -> Turn {
    if matches!(released, Ok(1..)) {
        signals.signal(DueWork::Messages);
    }
    again_if_any(released)
}
