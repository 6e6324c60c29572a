//! Failed messages that are sent again, one or many.

mod forecast;
mod work;

use std::{collections::BTreeMap, slice, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        permission::Permission,
    },
    messaging::{
        delivery_log::{LogFilter, LogRequest},
        message::{Draft, Message},
        resend::{FailedGroup, FailedKind, ResendStatus, ResendTask},
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

pub use self::{
    forecast::{ResendForecast, ResendableCount},
    work::ResendWork,
};
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
/// Number of tasks in a list.
const NEWEST: usize = 10;

/// Operations on failed messages that are sent again.
#[derive(Clone, Constructor)]
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

/// Failed message that can be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendOffer {
    /// The failed message.
    pub message: Message,
    /// Cost of sending it again, at the prices of now.
    pub cost: Money,
    /// Message that repeated it before.
    pub former: Option<Id<Message>>,
}

impl Resends {
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

    /// Returns a failed message that can be sent again, with the price of that.
    pub async fn offer(&self, caller: &Caller, id: Id<Message>) -> Result<ResendOffer, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let (message, kind) = self.resendable(caller, id).await?;
        let former = self.repeated_by(caller, id).await?;
        let draft = self.messages.draft_again(&message, &caller.policy).await?;
        let cost = if message.is_sandbox {
            Money::ZERO
        } else {
            let Draft { channel, country, segments, .. } = draft;
            let is_resent = former.is_some();
            let group = FailedGroup { kind, channel, country, segments, is_resent, messages: 1 };
            self.messages.cost_again(caller, &[group]).await?
        };
        Ok(ResendOffer { message: message.shown(caller.sees_codes()), cost, former })
    }

    /// Returns the newest message that repeats one of the caller's organization; `None` if it was not
    /// sent again.
    pub async fn replacement(
        &self,
        caller: &Caller,
        id: Id<Message>,
    ) -> Result<Option<Id<Message>>, Error> {
        caller.authorize(Permission::ReadMessages)?;
        self.repeated_by(caller, id).await
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

    /// Returns the newest tasks of the organization, newest first.
    pub async fn newest(&self, caller: &Caller) -> Result<Vec<ResendTask>, Error> {
        caller.authorize(Permission::ReadMessages)?;
        let mut tasks = self.repository.newest_tasks(caller.organization, NEWEST).await?;
        tasks.retain(|task| task.is_sandbox() || !caller.is_sandbox());
        Ok(tasks)
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
        let (message, _) = self.resendable(caller, id).await?;
        let former = self.repeated_by(caller, id).await?;
        if let Some(former) = former
            && !command.again
        {
            return Err(Error::Conflict(ALREADY_RESENT.about("messageId", former.to_string())));
        }
        let draft = self.messages.draft_again(&message, &caller.policy).await?;
        let sender = Sender::unasked(caller.organization, message.is_sandbox);
        let drafts = slice::from_ref(&draft);
        self.messages.count(caller, sender, drafts, &command.rate_limit).await?;
        let repetition = Repetition { former, task: None, trace: caller.trace };
        self.messages.repeat(&message, draft, repetition).await
    }

    /// Returns a failed message that can be sent again.
    async fn resendable(
        &self,
        caller: &Caller,
        id: Id<Message>,
    ) -> Result<(Message, FailedKind), Error> {
        let message = self.messages.find(caller, id).await?;
        let kind = message.failed_kind().ok_or(Error::Conflict(MESSAGE_NOT_FAILED))?;
        if !kind.is_resendable() {
            return Err(Error::Conflict(NOT_RESENDABLE.about("errorCode", kind.code.as_str())));
        }
        Ok((message, kind))
    }

    async fn repeated_by(
        &self,
        caller: &Caller,
        id: Id<Message>,
    ) -> Result<Option<Id<Message>>, Error> {
        let known = self.repository.find(caller.organization, &[id]).await?;
        Ok(known.first().map(|resend| resend.replacement))
    }

    async fn submit(&self, submission: Submission) -> Result<Sent<Vec<Message>>, Error> {
        match self.messages.accept(submission).await {
            Ok(receipt) => self.messages.deliver(receipt, false).await,
            Err(IntakeError::Overtaken) => Err(Error::Conflict(ALREADY_RESENT)),
            Err(error) => Err(error.into()),
        }
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

#[cfg(test)]
mod tests;
