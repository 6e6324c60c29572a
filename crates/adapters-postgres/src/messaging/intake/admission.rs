//! Queue of the submissions that wait for the writers, limited in time and size, and held back
//! while delivery is behind.

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
use crate::{
    messaging::waiting_room::{Expiring, entries},
    shared::{query::batching::Entry, task::Task},
};

/// Maximum size of the queue.
const LIMITS: IntakeLimits = IntakeLimits { submissions: 4_096, bytes: 64 << 20 };
/// Maximum wait of a submission.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between checks for submissions that have waited too long.
const TIMEOUT_INTERVAL: Duration = Duration::from_millis(250);
/// Minimum number of waiting messages for another batch to begin before the last one is written:
/// many small batches cost more than they gain.
const LARGE: usize = 64;
/// Interval between checks whether delivery has caught up.
const HELD_PAUSE: Duration = Duration::from_millis(2);
/// Maximum time for which priorities are held before a batch of them is taken anyway: slow delivery
/// slows acceptance down, but does not stop it.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// Approximate number of bytes that a message takes beside its text.
const OVERHEAD: usize = 1_024;

/// Sender of submissions. Once it is dropped, the writers end when the queue is empty.
pub(super) struct SubmissionSender {
    admission: Arc<Admission>,
    max_wait: Duration,
}

/// Receiver of the writers. Once it is dropped, all waiting callers get an error.
pub(super) struct SubmissionReceiver {
    admission: Arc<Admission>,
    /// Queue whose room in memory shows that delivery is behind.
    handover: Arc<dyn LocalQueue>,
    /// Time since which something has been held. One writer at a time looks for a batch.
    held_since: Mutex<Option<Instant>>,
}

/// Guard of a batch that is being written. It is released even if the writer panics, or small
/// batches would wait for ever.
pub(super) struct BatchPermit<'r>(&'r Admission);

struct Admission {
    queue: Mutex<IntakeQueue<Expiring<Waiting>>>,
    /// Wakes a writer: a submission arrived, a batch was written while others waited, or the queue
    /// was closed.
    changed: Notify,
    writing: AtomicUsize,
    /// Number of submissions without room since the last log message.
    shed: AtomicUsize,
    is_closed: AtomicBool,
}

/// Result of a writer's look at the queue.
enum Found {
    Batch(Entries),
    /// Too few messages, as long as another batch is being written.
    Little,
    /// Messages wait, and are held until delivery has caught up.
    Held,
    /// The queue is closed and empty.
    End,
}

/// Creates both sides, and the task that refuses submissions that have waited longer than the
/// timeout.
pub(super) fn admission(
    handover: Arc<dyn LocalQueue>,
    max_wait: Duration,
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
        held_since: Mutex::default(),
    };
    let sending_away = Arc::clone(&admission).send_late_away();
    let sender = SubmissionSender { admission, max_wait };
    (sender, receiver, Task::new("end of late submissions", sending_away))
}

impl SubmissionSender {
    /// Hands a submission to the writers and waits for the answer.
    pub(super) async fn submit(&self, submission: Submission) -> Reply {
        let (organization, size) = (submission.organization, size(&submission));
        let priority = priority(&submission);
        let (entry, answer) = Entry::new(submission);
        let late = Expiring::new(entry, Some(self.max_wait));
        let (shed, may_begin) = {
            let mut queue = self.admission.queue();
            if self.admission.is_closed() {
                return Err(shutting_down());
            }
            let shed = queue.push(organization, priority, size, late);
            (shed, self.admission.may_begin(queue.messages(|_| true)))
        };
        // Otherwise the end of the batch that is being written wakes a writer.
        if may_begin {
            self.admission.changed.notify_one();
        }
        if !shed.is_empty() {
            self.admission.shed.fetch_add(shed.len(), Ordering::Relaxed);
            answer_all(entries(shed), || IntakeError::Overloaded);
        }
        answer.await.unwrap_or_else(|_| Err(shutting_down()))
    }
}

impl SubmissionReceiver {
    /// Returns the next batch, which counts as being written until its permit is dropped. `None` if
    /// the queue is closed and empty.
    pub(super) async fn next(&self) -> Option<(Entries, BatchPermit<'_>)> {
        loop {
            let is_held = match self.find() {
                Found::Batch(entries) => return Some((entries, BatchPermit(&self.admission))),
                Found::End => {
                    // The wake-up that ends this writer ends the next one too.
                    self.admission.changed.notify_one();
                    return None;
                }
                Found::Held => true,
                Found::Little => false,
            };
            tokio::select! {
                () = self.admission.changed.notified() => {}
                () = sleep(HELD_PAUSE), if is_held => {}
            }
        }
    }

    /// Takes the next batch, if it may begin now. From then on it counts as being written.
    fn find(&self) -> Found {
        let admission = &*self.admission;
        let mut held_since = self.held_since.lock().unwrap_or_else(PoisonError::into_inner);
        // Most often no other check is needed.
        if !admission.may_begin(admission.queue().messages(|_| true)) {
            let is_over = admission.is_closed() && admission.queue().is_empty();
            return if is_over { Found::End } else { Found::Little };
        }
        let is_too_long = held_since.is_some_and(|since| since.elapsed() >= LONGEST_HOLD);
        // After the close every waiting submission is answered.
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
        if !admission.may_begin(queue.messages(is_admitted)) {
            return if is_held { Found::Held } else { Found::Little };
        }
        admission.writing.fetch_add(1, Ordering::AcqRel);
        Found::Batch(entries(queue.take(BATCH, is_admitted)))
    }
}

impl Admission {
    async fn send_late_away(self: Arc<Self>) {
        let mut ticks = interval(TIMEOUT_INTERVAL);
        while !self.is_closed() {
            ticks.tick().await;
            let now = Instant::now();
            let late = self.queue().take_out(|late| late.is_over(now));
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

    /// True if a batch of that many messages may begin now. A small one waits for the end of the one
    /// that is being written.
    fn may_begin(&self, messages: usize) -> bool {
        let is_beside = self.writing.load(Ordering::Acquire) > 0;
        messages >= LARGE || (messages > 0 && !is_beside)
    }

    fn queue(&self) -> MutexGuard<'_, IntakeQueue<Expiring<Waiting>>> {
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
        // Dropped unanswered: their callers get an error.
        drop(self.admission.queue().take(usize::MAX, |_| true));
    }
}

impl Drop for BatchPermit<'_> {
    fn drop(&mut self) {
        self.0.writing.fetch_sub(1, Ordering::AcqRel);
        // Nothing else has waited for this batch to end.
        if !self.0.queue().is_empty() {
            self.0.changed.notify_one();
        }
    }
}

fn shutting_down() -> IntakeError {
    StoreError::Unavailable("the service is shutting down".into()).into()
}

fn size(submission: &Submission) -> Size {
    let bodies = submission.messages.iter().map(|message| message.draft.body.len() + OVERHEAD);
    // A submission without messages advances something, and takes its turn too.
    Size { messages: submission.messages.len().max(1), bytes: OVERHEAD + bodies.sum::<usize>() }
}

/// Returns the priority of its most urgent message. A submission without messages delays nobody.
fn priority(submission: &Submission) -> Priority {
    submission.messages.iter().map(|message| message.priority).min().unwrap_or(Priority::Otp)
}

#[cfg(test)]
mod tests;
