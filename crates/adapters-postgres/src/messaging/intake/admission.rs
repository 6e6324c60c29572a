//! Where submissions wait for the writers: not longer than a while, no more than there is room for, and
//! while delivery is behind, until it has caught up.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::messaging::{
    intake::{Backlog, IntakeLimits, IntakeQueue, Size},
    priority::Priority,
};
use ports::{
    messaging::messages::{IntakeError, LocalQueue, Submission},
    shared::store::StoreError,
};
use tokio::{
    sync::Notify,
    time::{Instant, interval, sleep},
};

use super::{BATCH, Entries, Reply, Waiting, answer_all};
use crate::shared::{query::batching::Entry, task::Task};

/// How much may wait.
const LIMITS: IntakeLimits = IntakeLimits { submissions: 4_096, bytes: 64 << 20 };
/// How long a submission may wait.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);
/// How often those are looked for that have waited too long.
const TIMEOUT_INTERVAL: Duration = Duration::from_millis(250);
/// How many messages must wait for another batch to begin before the last one is written: many small
/// batches cost more than they gain.
const LARGE: usize = 24;
/// How soon it is looked again whether delivery has caught up.
const HELD_PAUSE: Duration = Duration::from_millis(2);
/// How long priorities are held at the most before a batch of them is taken all the same: who delivers slowly
/// accepts slowly, but accepts.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// How many bytes a message takes beside its text, more or less.
const OVERHEAD: usize = 1_024;

/// The way in. Once it is gone, the writers end when nothing waits any more.
pub(super) struct SubmissionSender {
    admission: Arc<Admission>,
    patience: Duration,
}

/// The writers' side. Once it is gone, whoever waits is told so.
pub(super) struct SubmissionReceiver {
    admission: Arc<Admission>,
    /// Whose room in memory says whether delivery is behind.
    handover: Arc<dyn LocalQueue>,
    /// One writer at a time gathers a batch, and knows since when something has been held.
    held_since: tokio::sync::Mutex<Option<Instant>>,
}

/// A batch is being written. A writer that panics ends its turn too, or small batches would wait for it
/// for ever.
pub(super) struct BatchPermit<'r>(&'r Admission);

struct Admission {
    queue: Mutex<IntakeQueue<Expiring>>,
    /// Wakes whoever gathers: something came, a batch was written, or the end has come.
    changed: Notify,
    writing: AtomicUsize,
    /// How many found no room since that was last told.
    shed: AtomicUsize,
    is_closed: AtomicBool,
}

/// A submission that waits, and until when.
struct Expiring {
    entry: Waiting,
    until: Instant,
}

/// What a writer finds.
enum Found {
    Batch(Entries),
    /// Too little, as long as another batch is being written.
    Little,
    /// What waits is held until delivery has caught up.
    Held,
    /// Nothing will come any more.
    End,
}

/// Both sides, and what sends those away that have waited longer than `patience`.
pub(super) fn admission(
    handover: Arc<dyn LocalQueue>,
    patience: Duration,
) -> (SubmissionSender, SubmissionReceiver, Task) {
    let admission = Arc::new(Admission {
        queue: Mutex::new(IntakeQueue::new(LIMITS)),
        changed: Notify::new(),
        writing: AtomicUsize::new(0),
        shed: AtomicUsize::new(0),
        is_closed: AtomicBool::new(false),
    });
    let receiver = SubmissionReceiver {
        admission: Arc::clone(&admission),
        handover,
        held_since: tokio::sync::Mutex::default(),
    };
    let sending_away = Arc::clone(&admission).send_late_away();
    let sender = SubmissionSender { admission, patience };
    (sender, receiver, Task::new("end of late submissions", sending_away))
}

impl SubmissionSender {
    /// Hands a submission to the writers and waits for the answer.
    pub(super) async fn submit(&self, submission: Submission) -> Reply {
        let (organization, size) = (submission.organization, size(&submission));
        let priority = priority(&submission);
        let (entry, answer) = Entry::new(submission);
        let late = Expiring { entry, until: Instant::now() + self.patience };
        let shed = {
            let mut queue = self.admission.queue();
            if self.admission.is_closed() {
                return Err(shutting_down());
            }
            queue.push(organization, priority, size, late)
        };
        self.admission.changed.notify_one();
        if !shed.is_empty() {
            self.admission.shed.fetch_add(shed.len(), Ordering::Relaxed);
            answer_all(entries(shed), || IntakeError::Overloaded);
        }
        answer.await.unwrap_or_else(|_| Err(shutting_down()))
    }
}

impl SubmissionReceiver {
    /// The next batch, which counts as being written until its permit is dropped. `None` when nothing
    /// will come any more.
    pub(super) async fn next(&self) -> Option<(Entries, BatchPermit<'_>)> {
        let mut held_since = self.held_since.lock().await;
        loop {
            let is_held = match self.find(&mut held_since) {
                Found::Batch(entries) => {
                    self.admission.writing.fetch_add(1, Ordering::AcqRel);
                    return Some((entries, BatchPermit(&self.admission)));
                }
                Found::End => return None,
                Found::Held => true,
                Found::Little => false,
            };
            tokio::select! {
                () = self.admission.changed.notified() => {}
                () = sleep(HELD_PAUSE), if is_held => {}
            }
        }
    }

    fn find(&self, held_since: &mut Option<Instant>) -> Found {
        let admission = &*self.admission;
        let is_beside = admission.writing.load(Ordering::Acquire) > 0;
        let is_little = |messages: usize| messages == 0 || (is_beside && messages < LARGE);
        // Most often that is all there is to be asked.
        if is_little(admission.queue().messages(|_| true)) {
            let is_over = admission.is_closed() && admission.queue().is_empty();
            return if is_over { Found::End } else { Found::Little };
        }
        let is_too_long = held_since.is_some_and(|since| since.elapsed() >= LONGEST_HOLD);
        // At the end whoever waits is answered.
        let backlog = if is_too_long || admission.is_closed() {
            Backlog::default()
        } else {
            self.handover.backlog()
        };
        let is_admitted = |priority| backlog.admits(priority);
        let mut queue = admission.queue();
        let is_held = queue.messages(|priority| !is_admitted(priority)) > 0;
        if !is_held {
            *held_since = None;
        } else if held_since.is_none() {
            *held_since = Some(Instant::now());
            metrics::counter!("atumpan_intake_holds_total").increment(1);
        }
        if is_little(queue.messages(is_admitted)) {
            return if is_held { Found::Held } else { Found::Little };
        }
        Found::Batch(entries(queue.take(BATCH, is_admitted)))
    }
}

impl Admission {
    async fn send_late_away(self: Arc<Self>) {
        let mut ticks = interval(TIMEOUT_INTERVAL);
        while !self.is_closed() {
            ticks.tick().await;
            let now = Instant::now();
            let late = self.queue().take_out(|late| late.until <= now);
            let shed = self.shed.swap(0, Ordering::Relaxed);
            if shed > 0 || !late.is_empty() {
                tracing::warn!(
                    without_room = shed,
                    too_late = late.len(),
                    "refused submissions: more are submitted than can be accepted"
                );
            }
            answer_all(entries(late), || IntakeError::Overloaded);
        }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    fn queue(&self) -> MutexGuard<'_, IntakeQueue<Expiring>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SubmissionSender {
    fn drop(&mut self) {
        self.admission.close();
    }
}

impl Drop for SubmissionReceiver {
    fn drop(&mut self) {
        self.admission.close();
        // Dropped unanswered, they tell whoever waits.
        drop(self.admission.queue().take(usize::MAX, |_| true));
    }
}

impl Drop for BatchPermit<'_> {
    fn drop(&mut self) {
        self.0.writing.fetch_sub(1, Ordering::AcqRel);
        self.0.changed.notify_one();
    }
}

fn shutting_down() -> IntakeError {
    StoreError::Unavailable("the service is shutting down".into()).into()
}

fn entries(waiting: Vec<Expiring>) -> Entries {
    waiting.into_iter().map(|late| late.entry).collect()
}

fn size(submission: &Submission) -> Size {
    let bodies = submission.messages.iter().map(|message| message.draft.body.len() + OVERHEAD);
    // One without messages moves something on, and has its turn all the same.
    Size { messages: submission.messages.len().max(1), bytes: OVERHEAD + bodies.sum::<usize>() }
}

/// The priority of the most urgent of its messages. What has none delays nobody.
fn priority(submission: &Submission) -> Priority {
    submission.messages.iter().map(|message| message.priority).min().unwrap_or(Priority::Otp)
}

#[cfg(test)]
mod tests;
