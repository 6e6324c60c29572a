//! Counters of outcomes since the process began.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::messaging::delivery::Status;

#[derive(Default)]
pub(super) struct DeliveryCounters {
    completed: AtomicU64,
    failed: AtomicU64,
    active: AtomicU64,
}

/// Guard of messages that count as being worked on until it is dropped.
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

    /// Number of messages being worked on.
    pub(super) fn active(&self) -> u64 {
        self.active.load(Ordering::Relaxed)
    }

    /// Number of messages that providers took.
    pub(super) fn completed(&self) -> u64 {
        self.completed.load(Ordering::Relaxed)
    }

    /// Number of messages that failed for good.
    pub(super) fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}

impl Drop for ActiveMessages<'_> {
    fn drop(&mut self) {
        self.counters.active.fetch_sub(self.messages, Ordering::Relaxed);
    }
}
