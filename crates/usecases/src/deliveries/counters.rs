//! What came of messages since the process began.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::delivery::Status;

#[derive(Default)]
pub(super) struct DeliveryCounters {
    completed: AtomicU64,
    failed: AtomicU64,
}

impl DeliveryCounters {
    pub(super) fn count(&self, from: Status, to: Status) {
        match (from, to) {
            (_, Status::Failed) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
            }
            (Status::Queued | Status::Pending, Status::Sent | Status::Delivered) => {
                self.completed.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// How many messages providers took.
    pub(super) fn completed(&self) -> u64 {
        self.completed.load(Ordering::Relaxed)
    }

    /// How many messages failed for good.
    pub(super) fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}
