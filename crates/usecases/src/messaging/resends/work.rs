//! Background work on tasks, one part at a time.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::TimeDelta;
use domain::{
    identity::policy::Policy,
    messaging::{
        message::Message,
        resend::{FailedKind, Resend, ResendFailure},
    },
    shared::trace::TraceHead,
};
use futures_util::{FutureExt, future::join_all};
use ports::{
    messaging::{
        messages::{IntakeError, Submission},
        resends::{LeasedResend, ResendEnd, ResendProgress, ResendQueue, ResendRepository},
    },
    shared::store::StoreError,
};

use crate::{
    Error,
    identity::policies::Policies,
    messaging::messages::{Messages, Repetition},
    shared::panics,
};

/// Number of failed messages that a part looks at.
const PART: usize = 100;
/// Delay until the next attempt at a part that failed.
const RETRY: TimeDelta = TimeDelta::seconds(5);
/// Delay until the next attempt at a part of which some messages were taken by others, or for which
/// the intake had no room.
const SOON: TimeDelta = TimeDelta::milliseconds(200);
/// Interval of checks whether a suspended organization may send again.
const SUSPENDED: TimeDelta = TimeDelta::seconds(10);

/// Worker of tasks. Any number of instances may work at once.
#[derive(Clone)]
pub struct ResendWork {
    queue: Arc<dyn ResendQueue>,
    repository: Arc<dyn ResendRepository>,
    messages: Messages,
    policies: Policies,
}

/// Messages of a part that are to be sent, and the result of the others.
#[derive(Default)]
struct Prepared {
    submissions: Vec<Submission>,
    progress: ResendProgress,
}

/// Result of a submission.
enum Submitted {
    /// The message was accepted.
    Accepted,
    /// It cannot be paid.
    Unpaid(ResendFailure),
    /// Somebody else has sent it meanwhile, or the intake has no room.
    Later,
}

impl ResendWork {
    /// Creates a worker of `queue`.
    pub fn new(
        queue: Arc<dyn ResendQueue>,
        repository: Arc<dyn ResendRepository>,
        messages: Messages,
        policies: Policies,
    ) -> Self {
        Self { queue, repository, messages, policies }
    }

    /// Processes a part of the task that has waited longest; returns false if there is none.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.queue.claim().await? else { return Ok(false) };
        let worked = AssertUnwindSafe(self.work_on(&leased)).catch_unwind().await;
        let worked = worked.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = worked {
            tracing::warn!(%error, task = %leased.task.id, "failed to send failed messages again");
            self.queue.put_off(&leased, RETRY).await?;
        }
        Ok(true)
    }

    async fn work_on(&self, leased: &LeasedResend) -> Result<(), StoreError> {
        let organization = leased.task.organization;
        let Some(policy) = self.policies.get(organization).await? else {
            let end = ResendEnd::Failed(ResendFailure::OrganizationGone);
            return self.queue.end(leased, ResendProgress::default(), end).await;
        };
        if !self.policies.may_send(organization).await? {
            return self.queue.put_off(leased, SUSPENDED).await;
        }
        let part = self.queue.next(leased, PART).await?;
        let Prepared { submissions, mut progress } =
            self.prepare(leased, &policy, &part.messages).await?;
        let submitting = submissions.into_iter().map(|submission| self.submit(submission));
        let (mut unpaid, mut is_late) = (None, false);
        for submitted in join_all(submitting).await {
            match submitted? {
                Submitted::Accepted => progress.resent += 1,
                Submitted::Unpaid(reason) => unpaid = Some(reason),
                Submitted::Later => is_late = true,
            }
        }
        if is_late {
            // The next attempt finds out what was accepted, so nothing is counted twice.
            return self.queue.put_off(leased, SOON).await;
        }
        match (unpaid, part.last) {
            (Some(reason), _) => {
                tracing::info!(
                    task = %leased.task.id, %organization, reason = reason.as_str(),
                    "stopped sending failed messages again: the next one cannot be paid"
                );
                self.queue.end(leased, progress, ResendEnd::Failed(reason)).await
            }
            (None, Some(last)) => self.queue.advance(leased, last, progress).await,
            (None, None) => self.queue.end(leased, progress, ResendEnd::Completed).await,
        }
    }

    /// Returns the submissions of the messages that were not sent again yet. An earlier attempt at
    /// the same part may have sent some.
    async fn prepare(
        &self,
        leased: &LeasedResend,
        policy: &Policy,
        messages: &[Message],
    ) -> Result<Prepared, StoreError> {
        let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
        let known = self.repository.find(leased.task.organization, &ids).await?;
        let mut prepared = Prepared::default();
        for message in messages {
            match known.iter().find(|resend| resend.message == message.id) {
                Some(Resend { task, .. }) if *task == Some(leased.task.id) => {
                    prepared.progress.resent += 1;
                }
                Some(_) => prepared.progress.skipped += 1,
                None => match self.submission(leased, policy, message).await? {
                    Some(submission) => prepared.submissions.push(submission),
                    None => prepared.progress.skipped += 1,
                },
            }
        }
        Ok(prepared)
    }

    /// Returns the submission that sends a message again; `None` if it cannot be sent again.
    async fn submission(
        &self,
        leased: &LeasedResend,
        policy: &Policy,
        message: &Message,
    ) -> Result<Option<Submission>, StoreError> {
        if !message.failed_kind().is_some_and(FailedKind::is_resendable) {
            return Ok(None);
        }
        let task = Some(leased.task.id);
        let repetition = Repetition { former: None, task, trace: TraceHead::Open };
        let repeated = match self.messages.draft_again(message, policy).await {
            Ok(draft) => self.messages.repeat(message, draft, repetition).await,
            Err(error) => Err(error),
        };
        match repeated {
            Ok(submission) => Ok(Some(submission)),
            Err(Error::Store(error)) => Err(error),
            // Its template, its sender or its recipient is not usable any more.
            Err(_) => Ok(None),
        }
    }

    async fn submit(&self, submission: Submission) -> Result<Submitted, StoreError> {
        match self.messages.accept(submission).await {
            Ok(_) => Ok(Submitted::Accepted),
            Err(IntakeError::InsufficientBalance(_)) => {
                Ok(Submitted::Unpaid(ResendFailure::InsufficientBalance))
            }
            Err(IntakeError::SpendingLimitReached(_)) => {
                Ok(Submitted::Unpaid(ResendFailure::SpendingLimitReached))
            }
            Err(
                IntakeError::Overtaken
                | IntakeError::Overloaded
                | IntakeError::IdempotencyKeyReused,
            ) => Ok(Submitted::Later),
            Err(IntakeError::Store(error)) => Err(error),
        }
    }
}
