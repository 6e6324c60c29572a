//! Holding back: messages that may not be sent yet wait without a worker, and those of cancelled
//! campaigns fail.

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{
    attempts,
    delivery::{Failure, FailureCode},
    hold::Hold,
    job::{Job, JobPostponed},
};
use futures_util::{StreamExt, stream};
use ports::{messaging::messages::Recorded, shared::store::StoreError};

use super::{Conclusion, Deliveries, Interruption, Progress, WorkResult};

/// Number of messages of a group held back at the same time.
const CONCURRENCY: usize = 128;

impl Deliveries {
    /// Returns the reason that holds a waiting message back; `None` if it may be sent.
    pub(super) fn hold(&self, job: &Job, now: DateTime<Utc>) -> Option<Hold> {
        self.deps.holding.as_ref()?.of(&job.message, now)
    }

    /// Fails a cancelled message, and postpones any other that is held back.
    pub(super) fn hold_back(&self, job: &mut Job, hold: Hold) -> Result<Progress, Interruption> {
        match hold {
            Hold::Cancelled => self.cancel(job).map(Progress::Concluded),
            Hold::Paused | Hold::Suspended(_) | Hold::Until(_) => Ok(Progress::Postponed(hold)),
        }
    }

    /// Holds back the messages of a group that may not be sent now. Returns the other jobs, and the
    /// results of these.
    pub(super) async fn hold_back_some(
        &self,
        jobs: Vec<Job>,
    ) -> (Vec<Job>, Vec<Result<WorkResult, StoreError>>) {
        let now = self.deps.clock.now();
        if jobs.iter().all(|job| self.hold(job, now).is_none()) {
            return (jobs, Vec::new());
        }
        let (mut free, mut held) = (Vec::new(), Vec::new());
        for job in jobs {
            match self.hold(&job, now) {
                Some(hold) => held.push((job, hold)),
                None => free.push(job),
            }
        }
        let finished = stream::iter(held).map(async |(mut job, hold)| {
            let progress = self.hold_back(&mut job, hold);
            self.finish(job, progress).await
        });
        (free, finished.buffered(CONCURRENCY).collect().await)
    }

    /// Postpones a message for as long as `hold` lasts.
    pub(super) async fn postpone(&self, job: Job, hold: Hold) -> Result<WorkResult, StoreError> {
        let Job { mut message, lease, provider_queue, .. } = job;
        attempts::drop_planned(&mut message.attempts);
        let at = match hold {
            Hold::Paused | Hold::Cancelled => None,
            // Its validity is not extended: a code of last week is of no use.
            Hold::Suspended(until) => Some(until),
            Hold::Until(at) => {
                message = message.valid_from(at);
                Some(at)
            }
        };
        let now = self.deps.clock.now();
        let due_in = at.map(|at| (at - now).max(TimeDelta::zero()));
        let is_suspended = matches!(hold, Hold::Suspended(_));
        let postponed =
            JobPostponed { message: message.clone(), lease, provider_queue, due_in, is_suspended };
        match self.record(postponed).await? {
            Recorded::Done => Ok(WorkResult::Done(message)),
            Recorded::Stale => self.resolve_interruption(message, Interruption::LeaseLost).await,
        }
    }

    /// Fails a message of a cancelled campaign. If a provider may have it, waits for that
    /// provider's report instead.
    fn cancel(&self, job: &mut Job) -> Result<Conclusion, Interruption> {
        attempts::drop_planned(&mut job.message.attempts);
        if attempts::holder(&job.message.attempts).is_some() {
            return self.await_report_in_doubt(job);
        }
        self.fail(job, cancelled())
    }
}

/// Failure of a message of a cancelled campaign.
pub(super) fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "its campaign was cancelled")
}
