//! Failed messages that are sent again, one or many.

mod work;

use std::{cmp::Reverse, collections::BTreeMap, slice, sync::Arc};

use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        permission::Permission,
    },
    messaging::{
        delivery::FailureCode,
        delivery_log::{LogFilter, LogRequest},
        message::Message,
        resend::{FailedMessages, ResendStatus, ResendTask},
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{fault::Faults, id::Id, money::Money},
};
use ports::{
    messaging::{
        messages::{Idempotency, IntakeError, Submission},
        resends::ResendRepository,
    },
    platform::audit_log::AuditLog,
    shared::clock::Clock,
};

pub use self::work::ResendWork;
use crate::{
    Error, Reason,
    messaging::messages::{Messages, Repetition, Sender, Sent, checked_key, is_refusal, replay},
    shared::{digest::Fingerprint, limits::RateLimitSlot},
};

/// The message has not failed.
pub const MESSAGE_NOT_FAILED: Reason =
    Reason::new("MESSAGE_NOT_FAILED", "only a failed message can be sent again");
/// The message was sent again before.
pub const ALREADY_RESENT: Reason =
    Reason::new("ALREADY_RESENT", "the message was sent again before; `again` repeats that");
/// The message must not be sent again.
pub const NOT_RESENDABLE: Reason = Reason::new(
    "NOT_RESENDABLE",
    "a message that is a code, was cancelled, suppressed, blocked, let expire early or erased is \
     not sent again",
);
/// Too many tasks of the organization wait.
pub const TOO_MANY_RESENDS: Reason =
    Reason::new("TOO_MANY_RESENDS", "five such requests of the organization are at work already");

/// Maximum number of tasks of an organization that wait.
const MAX_WAITING: usize = 5;

/// Operations on failed messages that are sent again.
#[derive(Clone)]
pub struct Resends {
    repository: Arc<dyn ResendRepository>,
    messages: Messages,
    audit_log: Arc<dyn AuditLog>,
    clock: Arc<dyn Clock>,
}

/// Command that sends one failed message again.
#[derive(Debug, Clone, Default)]
pub struct ResendMessage {
    /// True to send it again once more.
    pub again: bool,
    /// Key by which a repeated request is recognized; `None` if it has none.
    pub idempotency_key: Option<String>,
    /// Faults found in the request so far.
    pub faults: Faults,
    /// Slot for the rate limits that the request counted against.
    pub rate_limit: RateLimitSlot,
}

/// Command that counts or sends again many failed messages.
#[derive(Debug, Clone, Default)]
pub struct ResendMessages {
    /// Filter for the messages. `from` is required; the status is that of failed ones.
    pub request: LogRequest,
    /// True if nothing is to be sent.
    pub is_dry_run: bool,
    /// Faults found in the request so far.
    pub faults: Faults,
}

/// Forecast of what a [`ResendMessages`] would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendForecast {
    /// Number of failed messages.
    pub count: u64,
    /// True if there may be more.
    pub is_capped: bool,
    /// Cost of those that would be sent again.
    pub cost: Money,
    /// Messages by the reason for their failure.
    pub by_reason: Vec<ResendableCount>,
}

/// Number of messages that failed for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResendableCount {
    /// Reason for the failure.
    pub code: FailureCode,
    /// Number of messages.
    pub count: u64,
    /// Number of those that would be sent again.
    pub resendable: u64,
}

impl Resends {
    /// Creates the operations over `repository`.
    pub fn new(
        repository: Arc<dyn ResendRepository>,
        messages: Messages,
        audit_log: Arc<dyn AuditLog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, messages, audit_log, clock }
    }

    /// Sends a failed message again: everything but its text is looked up anew. Returns the new
    /// message in its state after the first round through the providers.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn resend(
        &self,
        caller: &Caller,
        id: Id<Message>,
        mut command: ResendMessage,
    ) -> Result<Sent<Message>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let is_readable = command.faults.is_empty();
        let idempotency = command.idempotency(caller, id);
        let sent = match self.prepare(caller, id, &command).await {
            Ok(submission) => self.submit(Submission { idempotency, ..submission }).await,
            Err(error) => {
                let idempotency = idempotency.filter(|_| is_readable && is_refusal(&error));
                let Some(idempotency) = idempotency else { return Err(error) };
                let accepted = self.messages.accepted_before(caller.organization, idempotency);
                replay(accepted.await?.ok_or(error)?, false)
            }
        };
        let Sent { mut accepted, is_replay } = sent?;
        let message = accepted.pop().ok_or(Error::NotFound("message"))?;
        Ok(Sent { accepted: message.shown(caller.sees_codes()), is_replay })
    }

    /// Counts the failed messages that would be sent again.
    pub async fn forecast(
        &self,
        caller: &Caller,
        command: ResendMessages,
    ) -> Result<ResendForecast, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        self.authorized_forecast(caller, command).await
    }

    /// Returns the forecast for a caller who may send the messages.
    pub(crate) async fn authorized_forecast(
        &self,
        caller: &Caller,
        command: ResendMessages,
    ) -> Result<ResendForecast, Error> {
        let filter = self.filter(caller, command)?;
        let found = self.repository.count(caller.organization, &filter).await?;
        self.forecast_of(caller, &filter, &found).await
    }

    /// Sends failed messages again in the background, each of them once.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn begin(
        &self,
        caller: &Caller,
        command: ResendMessages,
        request: RequestId,
    ) -> Result<ResendTask, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        self.authorized_begin(caller, command, request).await
    }

    /// Begins the work for a caller who may send the messages.
    pub(crate) async fn authorized_begin(
        &self,
        caller: &Caller,
        command: ResendMessages,
        request: RequestId,
    ) -> Result<ResendTask, Error> {
        let user = caller.user()?;
        let filter = self.filter(caller, command)?;
        let found = self.repository.count(caller.organization, &filter).await?;
        let now = self.clock.now();
        let task = ResendTask {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            filter,
            status: ResendStatus::Queued,
            failure: None,
            count: found.groups.iter().map(|group| group.messages).sum(),
            is_capped: found.is_capped,
            resent: 0,
            skipped: 0,
            created_at: now,
            completed_at: None,
        };
        let entry = AuditEntry {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            at: now,
            actor: Actor { user, request, is_impersonating: caller.impersonator().is_some() },
            action: AuditAction::MessagesResent,
            resource_type: "RESEND",
            resource: task.id.uuid(),
            details: BTreeMap::from([
                ("from", task.filter.since().time().to_rfc3339()),
                ("to", task.filter.below().time().to_rfc3339()),
                ("count", task.count.to_string()),
            ]),
        };
        // Before the change: the log may hold one that failed, but never lacks one that was made.
        self.audit_log.record(&entry).await?;
        if !self.repository.begin(&task, MAX_WAITING).await? {
            return Err(Error::Conflict(TOO_MANY_RESENDS));
        }
        Ok(task)
    }

    /// Returns a task.
    pub async fn get(&self, caller: &Caller, id: Id<ResendTask>) -> Result<ResendTask, Error> {
        caller.authorize(Permission::ReadMessages)?;
        let task = self.repository.find_task(caller.organization, id).await?;
        let task = task.filter(|task| task.is_sandbox() || !caller.is_sandbox());
        task.ok_or(Error::NotFound("resend"))
    }

    fn filter(&self, caller: &Caller, command: ResendMessages) -> Result<LogFilter, Error> {
        let ResendMessages { mut request, mut faults, .. } = command;
        request.is_sandbox = faults.take("isSandbox", caller.rehearses(request.is_sandbox));
        Ok(faults.check(request.failures(self.clock.now()))?)
    }

    /// Checks that a message can be sent again, and returns the submission that does it.
    async fn prepare(
        &self,
        caller: &Caller,
        id: Id<Message>,
        command: &ResendMessage,
    ) -> Result<Submission, Error> {
        command.faults.clone().or(())?;
        let message = self.messages.find(caller, id).await?;
        let kind = message.failed_kind().ok_or(Error::Conflict(MESSAGE_NOT_FAILED))?;
        if !kind.is_resendable() {
            return Err(Error::Conflict(NOT_RESENDABLE.about("errorCode", kind.code.as_str())));
        }
        let known = self.repository.find(caller.organization, &[id]).await?;
        let former = known.first().map(|resend| resend.replacement);
        if let Some(former) = former
            && !command.again
        {
            return Err(Error::Conflict(ALREADY_RESENT.about("messageId", former.to_string())));
        }
        let draft = self.messages.draft_again(&message, &caller.policy).await?;
        let sender = Sender { organization: caller.organization, is_sandbox: message.is_sandbox };
        let drafts = slice::from_ref(&draft);
        self.messages.count(caller, sender, drafts, &command.rate_limit).await?;
        self.messages.repeat(&message, draft, Repetition { former, task: None }).await
    }

    async fn submit(&self, submission: Submission) -> Result<Sent<Vec<Message>>, Error> {
        match self.messages.accept(submission).await {
            Ok(receipt) => self.messages.deliver(receipt, false).await,
            Err(IntakeError::Overtaken) => Err(Error::Conflict(ALREADY_RESENT)),
            Err(error) => Err(error.into()),
        }
    }

    async fn forecast_of(
        &self,
        caller: &Caller,
        filter: &LogFilter,
        found: &FailedMessages,
    ) -> Result<ResendForecast, Error> {
        let mut resendable = found.groups.clone();
        resendable.retain(|group| group.kind.is_resendable() && !group.is_resent);
        let cost = if filter.is_sandbox == Some(true) {
            Money::ZERO
        } else {
            self.messages.cost_again(caller, &resendable).await?
        };
        let by_reason = by_reason(found);
        let count = by_reason.iter().map(|reason| reason.count).sum();
        Ok(ResendForecast { count, is_capped: found.is_capped, cost, by_reason })
    }
}

impl ResendMessage {
    /// Returns the key and the fingerprint by which a repetition is recognized. Adds the faults of
    /// the key.
    fn idempotency(&mut self, caller: &Caller, id: Id<Message>) -> Option<Idempotency> {
        let key = self.idempotency_key.take()?;
        let key = self.faults.take("idempotencyKey", checked_key(key))?;
        let is_sandbox = caller.is_sandbox();
        let fingerprint = Fingerprint::of("resend").flag(is_sandbox).flag(self.again);
        let fingerprint = fingerprint.resend(id).finish();
        Some(Idempotency { key, is_sandbox, fingerprint, gaps: Vec::new() })
    }
}

/// Returns the numbers of messages by reason, most messages first.
fn by_reason(found: &FailedMessages) -> Vec<ResendableCount> {
    let mut reasons: Vec<ResendableCount> = Vec::new();
    for group in &found.groups {
        let is_resendable = group.kind.is_resendable() && !group.is_resent;
        let resendable = if is_resendable { group.messages } else { 0 };
        match reasons.iter_mut().find(|reason| reason.code == group.kind.code) {
            Some(reason) => {
                reason.count += group.messages;
                reason.resendable += resendable;
            }
            None => reasons.push(ResendableCount {
                code: group.kind.code,
                count: group.messages,
                resendable,
            }),
        }
    }
    reasons.sort_by_key(|reason| (Reverse(reason.count), reason.code.as_str()));
    reasons
}

#[cfg(test)]
mod tests;
