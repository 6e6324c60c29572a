//! What came of messages since the process began.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::messaging::delivery::Status;

#[derive(Default)]
pub(super) struct DeliveryCounters {
    completed: AtomicU64,
    failed: AtomicU64,
    active: AtomicU64,
}

/// Messages that are being worked on, until this is dropped.
pub(super) struct ActiveMessages<'c> {
    counters: &'c DeliveryCounters,
    messages: u64,
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

    /// Counts messages as being worked on.
    pub(super) fn begin(&self, messages: usize) -> ActiveMessages<'_> {
        let messages = messages as u64;
        self.active.fetch_add(messages, Ordering::Relaxed);
        ActiveMessages { counters: self, messages }
    }

    /// How many messages are being worked on.
    pub(super) fn active(&self) -> u64 {
        self.active.load(Ordering::Relaxed)
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

impl Drop for ActiveMessages<'_> {
    fn drop(&mut self) {
        self.counters.active.fetch_sub(self.messages, Ordering::Relaxed);
    }
}
