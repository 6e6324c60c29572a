//! Withdrawal: a message that its sender cancels before a provider has it.

use domain::messaging::{
    attempts,
    delivery::{Failure, FailureCode, Status},
    job::Job,
    message::Message,
};
use ports::shared::store::StoreError;

use super::{Deliveries, Progress, WorkResult};

impl Deliveries {
    /// Fails the message of a job that was taken to be cancelled, and returns it. Returns `None`, and
    /// frees the job, if a provider may have the message after all.
    pub async fn withdraw(&self, mut job: Job) -> Result<Option<Message>, StoreError> {
        if !job.message.is_without_provider() {
            self.deps.jobs.release(std::slice::from_ref(&job)).await?;
            return Ok(None);
        }
        attempts::drop_planned(&mut job.message.attempts);
        let progress = self.fail(&job, Failure::withdrawn()).map(Progress::Concluded);
        let message = match self.finish(job, progress).await? {
            WorkResult::Done(message) => message,
            WorkResult::Waiting(job) => job.message,
        };
        let is_withdrawn = message.delivery.status() == Status::Failed
            && message.delivery.failure().is_some_and(|it| it.code == FailureCode::Cancelled);
        Ok(is_withdrawn.then_some(message))
    }
}
