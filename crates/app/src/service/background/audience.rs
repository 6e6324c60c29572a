//! Tasks for contacts: imports, work on many of them, segments, and the erasure of people.

use std::{sync::Arc, time::Duration};

use adapters_postgres::PgStore;
use ports::shared::store::StoreError;
use usecases::{
    audience::{
        contact_jobs::ContactJobWork,
        imports::{ImportWork, Spawn},
    },
    messaging::scheduled_messages::ScheduledMessages,
    shared::bounds::Bounds,
};

use crate::{
    background::{Next, Task, Turn, again_if, then_idle},
    service::{stores::BackgroundStores, wiring::Wiring},
};

/// Interval between looks for imports if no signal comes, for jobs on contacts and for segments to count.
const IMPORTS: Duration = Duration::from_millis(500);
const CONTACT_JOBS: Duration = Duration::from_secs(1);
const RECOUNT: Duration = Duration::from_secs(1);
/// Pause after a failure of an import or a job.
const RETRY: Duration = Duration::from_secs(5);
/// Pause between parts of a job, so that others who change contacts do not wait for all of it.
const CONTACT_JOB_STEP: Duration = Duration::from_millis(20);
/// Interval between looks for people to erase, and pause between batches of messages, so that no
/// other work has to wait for an erasure.
const ERASURE: Duration = Duration::from_secs(20);
const ERASURE_STEP: Duration = Duration::from_millis(100);

pub(super) fn tasks(wiring: &Wiring, stores: &BackgroundStores) -> Vec<Task> {
    let queues = || Arc::clone(&stores.queues);
    let (bounds, clock) = (Bounds::new(queues()), Arc::clone(&wiring.core.clock));
    // A thread of the runtime reads the next part while this one waits for the database.
    let spawn: Spawn = Arc::new(|work: Box<dyn FnOnce() + Send>| {
        drop(tokio::spawn(async move { work() }));
    });
    let imports = ImportWork::new(queues(), queues(), bounds, clock, Some(spawn));
    let signals = Arc::clone(&wiring.core.signals);
    let jobs = ContactJobWork::new(queues());
    let erasure = (Arc::clone(&stores.writers), wiring.api.scheduled_messages.clone());
    vec![
        // One part at a time, so that the requests of this instance do not wait.
        Task::every("imports", IMPORTS, imports, |imports| async move {
            again_if(imports.work_once().await)
        })
        .retry_after(RETRY)
        .woken_by(signals, |signals, limit| async move { signals.imports(limit).await }),
        Task::every("jobs on contacts", CONTACT_JOBS, jobs, |jobs| async move {
            again_if(jobs.work_once().await)
        })
        .again_after(CONTACT_JOB_STEP)
        .retry_after(RETRY),
        Task::every(
            "counting of segments",
            RECOUNT,
            Arc::clone(&stores.background),
            |store| async move { again_if(store.recount_segments().await) },
        ),
        Task::every("erasure", ERASURE, erasure, erase).again_after(ERASURE_STEP),
    ]
}

/// Erases people whose contacts were deleted from the delivery logs. Messages that are scheduled for
/// them are cancelled, and refunded.
async fn erase((store, scheduled): (Arc<PgStore>, ScheduledMessages)) -> Turn {
    let cancelled = cancel_some(&store, &scheduled).await;
    // What cannot be cancelled now does not delay the rest.
    if store.erase_some().await? {
        return Ok(Next::Again);
    }
    then_idle(cancelled)
}

/// Cancels some scheduled messages. Those that cannot be cancelled now are met again with the other
/// unfinished ones.
async fn cancel_some(store: &PgStore, scheduled: &ScheduledMessages) -> Result<(), StoreError> {
    let waiting = store.scheduled_to_erase().await?;
    if !waiting.is_empty() {
        scheduled.cancel_all(waiting).await?;
    }
    Ok(())
}
