//! Outages of the database, whose end the tasks wait for that failed meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// Outages of the database, as the task that looks at it notes them.
pub struct Outages {
    is_away: AtomicBool,
    /// Number of outages that have ended.
    ended: watch::Sender<u64>,
}

impl Default for Outages {
    fn default() -> Self {
        Self { is_away: AtomicBool::new(false), ended: watch::Sender::new(0) }
    }
}

impl Outages {
    /// Notes the result of a look at the database. The first answer after an outage wakes all tasks
    /// that failed.
    pub fn note(&self, answers: bool) {
        let was_away = self.is_away.swap(!answers, Ordering::Relaxed);
        if was_away && answers {
            self.ended.send_modify(|ended| *ended += 1);
        }
    }

    /// Returns a receiver of the ends of outages.
    pub(super) fn ends(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }
}
