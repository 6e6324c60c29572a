//! Holding back: messages that may not go yet wait without a worker, and those that may never go any
//! more fail.

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

/// How many messages of a group are held back at the same time.
const CONCURRENCY: usize = 128;

impl Deliveries {
    /// What keeps a message that waits from going now, if anything does.
    pub(super) fn hold(&self, job: &Job, now: DateTime<Utc>) -> Option<Hold> {
        self.holding.as_ref()?.of(&job.message, now)
    }

    /// What follows from it.
    pub(super) fn hold_back(&self, job: &mut Job, hold: Hold) -> Result<Progress, Interruption> {
        match hold {
            Hold::Cancelled => self.cancel(job).map(Progress::Concluded),
            Hold::Paused | Hold::Suspended(_) | Hold::Until(_) => Ok(Progress::Postponed(hold)),
        }
    }

    /// Holds back those of a group that may not go now. Returns the others, and what became of these.
    pub(super) async fn hold_back_some(
        &self,
        jobs: Vec<Job>,
    ) -> (Vec<Job>, Vec<Result<WorkResult, StoreError>>) {
        let now = self.clock.now();
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

    /// Leaves a message alone for as long as `hold` lasts.
    pub(super) async fn postpone(&self, job: Job, hold: Hold) -> Result<WorkResult, StoreError> {
        let Job { mut message, lease, line, .. } = job;
        attempts::drop_planned(&mut message.attempts);
        let at = match hold {
            Hold::Paused | Hold::Cancelled => None,
            // It is worth no more for it: nobody wants a code of last week.
            Hold::Suspended(until) => Some(until),
            Hold::Until(at) => {
                message = message.valid_from(at);
                Some(at)
            }
        };
        let now = self.clock.now();
        let due_in = at.map(|at| (at - now).max(TimeDelta::zero()));
        let is_suspended = matches!(hold, Hold::Suspended(_));
        let postponed =
            JobPostponed { message: message.clone(), lease, line, due_in, is_suspended };
        match self.record(postponed).await? {
            Recorded::Done => Ok(WorkResult::Done(message)),
            Recorded::Stale => self.resolve_interruption(message, Interruption::LeaseLost).await,
        }
    }

    /// Gives a message up whose campaign was cancelled. One that a provider may have is not sent again,
    /// but its provider's report is waited for.
    fn cancel(&self, job: &mut Job) -> Result<Conclusion, Interruption> {
        attempts::drop_planned(&mut job.message.attempts);
        if attempts::holder(&job.message.attempts).is_some() {
            return self.await_report_in_doubt(job);
        }
        self.fail(job, cancelled())
    }
}

/// Why a message of a cancelled campaign fails.
pub(super) fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "its campaign was cancelled")
}
