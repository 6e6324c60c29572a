//! Heartbeats of a process, and its knowledge of its leases.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::platform::heartbeat::{Heartbeat, TAKEN_OVER_AFTER};
use ports::messaging::messages::OwnLeases;
use tokio::time::sleep;

use crate::{
    defects::Defect, scheduler::ProcessId, unreliable::Unreliable, virtual_clock::VirtualClock,
};

/// Interval between heartbeats.
const BEAT: Duration = Duration::from_secs(3);
/// Longest time of a heartbeat.
const BEAT_LIMIT: Duration = Duration::from_secs(5);

/// Times at which the store last got a heartbeat of each process. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct SeenHeartbeats(Arc<Mutex<BTreeMap<ProcessId, Duration>>>);

impl SeenHeartbeats {
    /// True if others may release the process as dead.
    pub(crate) fn is_silent(&self, process: ProcessId, now: Duration) -> bool {
        let last = lock(&self.0).get(&process).copied().unwrap_or_default();
        now.saturating_sub(last) >= TAKEN_OVER_AFTER
    }

    fn note(&self, process: ProcessId, now: Duration) {
        lock(&self.0).insert(process, now);
    }
}

/// A process's knowledge of its leases.
pub(crate) struct HeartbeatLeases {
    process: ProcessId,
    clock: VirtualClock,
    seen: SeenHeartbeats,
    is_trusting: bool,
    signs: Mutex<Heartbeat>,
}

impl HeartbeatLeases {
    pub(crate) fn new(
        process: ProcessId,
        clock: VirtualClock,
        seen: SeenHeartbeats,
        defect: Option<Defect>,
    ) -> Arc<Self> {
        let is_trusting = defect == Some(Defect::LeasesTrusted);
        Arc::new(Self { process, clock, seen, is_trusting, signs: Mutex::default() })
    }

    /// Sends heartbeats as long as the process lives.
    pub(crate) async fn show_life<S>(self: Arc<Self>, store: Arc<Unreliable<S>>) {
        loop {
            let began = self.clock.elapsed();
            let shown =
                store.show_life(|| self.seen.note(self.process, self.clock.elapsed())).await;
            let ended = self.clock.elapsed();
            if shown.is_ok() && ended.saturating_sub(began) <= BEAT_LIMIT {
                lock(&self.signs).show(began, ended);
            }
            sleep(BEAT).await;
        }
    }
}

impl OwnLeases for HeartbeatLeases {
    fn are_certain(&self, age: Duration) -> bool {
        self.is_trusting || lock(&self.signs).are_unbroken(age, self.clock.elapsed())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
