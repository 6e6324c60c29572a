//! Heartbeats of this instance, which no runner of background tasks sends: its pauses after failures and
//! its waking of tasks are not for a signal that others measure.

use std::{sync::Arc, time::Duration};

use ports::{
    platform::health::WorkerProbe,
    shared::signals::{DueWork, WakeSignal},
};
use tokio::time::sleep;

use crate::shared::{database::instance::PgInstance, task::Task};

/// Interval between heartbeats, pause before the first and after a failure, and number of successful
/// ones in a row before this instance may release another as dead.
const INTERVAL: Duration = Duration::from_secs(3);
const RETRY: Duration = Duration::from_millis(500);
const BEATS_TO_JUDGE: u32 = 6;

impl PgInstance {
    /// Returns the task that sends heartbeats with the number of messages that `workers` have in flight, and
    /// releases the jobs of instances that send none.
    pub fn heartbeats(&self, workers: Arc<dyn WorkerProbe>, signals: Arc<dyn WakeSignal>) -> Task {
        Task::new("heartbeat", send(self.clone(), workers, signals))
    }
}

async fn send(instance: PgInstance, workers: Arc<dyn WorkerProbe>, signals: Arc<dyn WakeSignal>) {
    let mut beats = 0;
    loop {
        sleep(if beats == 0 { RETRY } else { INTERVAL }).await;
        instance.note_active(workers.stats().active);
        let shown = instance.heartbeat().await;
        let released = match shown {
            Ok(()) if beats >= BEATS_TO_JUDGE => instance.release_dead_instances().await,
            Ok(()) => {
                beats += 1;
                continue;
            }
            Err(error) => Err(error),
        };
        match released {
            Ok(0) => {}
            Ok(jobs) => {
                signals.signal(DueWork::Messages);
                tracing::warn!(
                    jobs,
                    "released the jobs of an instance that stopped sending heartbeats"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "failed to record the heartbeat of this instance");
                beats = 0;
            }
        }
    }
}
