//! Sending of messages, and reads of single ones.

mod commands;
mod partial;
mod planning;
mod preview;
mod refusals;
mod rendering;
mod repeating;
mod request;
mod schedules;
mod sent;
mod service_mail;
mod urgency;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::template::TemplateText,
    identity::{
        caller::Caller, organization::Organization, permission::Permission, policy::Policy,
    },
    messaging::{
        message::{ContactId, Draft, MAX_FILLED_BYTES, Message, MessageRequest},
        priority::Origin,
        spans,
    },
    shared::{fault::Faults, id::Id},
};
use ports::{
    content::templates::TemplateRepository,
    messaging::{
        delivery_logs::{Accepted, DeliveryLogRepository},
        messages::{FirstWorker, Idempotency, Intake, IntakeError, Receipt, Submission},
    },
    shared::{clock::Clock, traces::Tracer},
};

pub use self::{
    commands::{SendBulk, SendMessage},
    partial::{Place, RefusedItem},
    preview::PreviewedMessage,
    refusals::{
        IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, template_not_approved, template_not_found,
    },
    rendering::RenderTemplate,
    sent::Sent,
};
pub(crate) use self::{
    planning::Sender,
    repeating::Repetition,
    request::{checked_key, is_refusal},
    schedules::scheduled,
    sent::replay,
};
use self::{request::Request, urgency::Urgency};
use crate::{
    Error,
    messaging::{deliveries::Deliveries, fraud_guard::FraudGuard},
    money::prices::Prices,
    providers::provider_registry::Providers,
    shared::limits::{Limit, Limits, RateLimitSlot, counted_messages},
};

/// Maximum number of messages in one bulk request.
pub const MAX_BULK: usize = 100;
/// Fault of filled texts that are longer than [`MAX_FILLED_BYTES`].
const TOO_MUCH_TEXT: &str = "must have at most 4 MiB of text, with the placeholders filled";

/// Operations on messages.
#[derive(Clone)]
pub struct Messages {
    deps: Arc<MessagesDeps>,
    urgency: Arc<Urgency>,
}

/// Dependencies of [`Messages`].
pub struct MessagesDeps {
    /// Store of templates.
    pub templates: Arc<dyn TemplateRepository>,
    /// Source of accepted messages.
    pub delivery_logs: Arc<dyn DeliveryLogRepository>,
    /// Intake, which stores messages and charges for them.
    pub intake: Arc<dyn Intake>,
    /// Prices of messages.
    pub prices: Prices,
    /// Providers that carry messages.
    pub providers: Arc<Providers>,
    /// Delivery of synchronous messages.
    pub deliveries: Deliveries,
    /// Limits against which messages count, except the first of a request: that one is counted when
    /// the caller is admitted, so that requests without effect count too.
    pub limits: Limits,
    /// Guard that refuses messages by their destination; `None` to refuse none.
    pub fraud_guard: Option<FraudGuard>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Tracer of their acceptance.
    pub tracer: Tracer,
}

impl Messages {
    /// Creates the operations from their dependencies.
    pub fn new(deps: MessagesDeps) -> Self {
        Self { deps: Arc::new(deps), urgency: Arc::default() }
    }

    /// Sends one message. Returns an asynchronous message as it was accepted, and any other in its
    /// state after the first round through the providers.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send(
        &self,
        caller: &Caller,
        command: SendMessage,
    ) -> Result<Sent<Message>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let mut faults = command.faults;
        let sender = Sender::choosing(caller, command.is_sandbox, &mut faults);
        let request = Request {
            kind: "send",
            origin: Origin::Single,
            sender,
            path: |_| String::new(),
            messages: &[command.message],
            scheduled_at: None,
            idempotency_key: command.idempotency_key,
            is_async: command.is_async,
            faults,
            rate_limit: command.rate_limit,
        };
        let mut sent = self.carry_out(caller, request).await?.shown_to(caller);
        let message = sent.accepted.pop().ok_or(Error::NotFound("message"))?;
        Ok(Sent { accepted: message, is_replay: sent.is_replay })
    }

    /// Sends several messages, in their order. Accepts all or none.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send_bulk(
        &self,
        caller: &Caller,
        mut command: SendBulk,
    ) -> Result<Sent<Vec<Message>>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let request = command.request("bulk", caller);
        Ok(self.carry_out(caller, request).await?.shown_to(caller))
    }

    /// Returns a message.
    pub async fn get(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        caller.authorize(Permission::ReadMessages)?;
        Ok(self.find(caller, id).await?.shown(caller.sees_codes()))
    }

    /// Returns the contact for whom a message was written; `None` if it was sent to an address.
    pub(crate) async fn contact_of(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<ContactId>, Error> {
        let message = self.deps.delivery_logs.find(organization, id).await?;
        Ok(message.and_then(|message| message.contact))
    }

    /// Sends the messages of a request, or returns those that were sent for it the first time.
    async fn carry_out(
        &self,
        caller: &Caller,
        mut request: Request<'_>,
    ) -> Result<Sent<Vec<Message>>, Error> {
        let is_readable = request.faults.is_empty();
        let idempotency = request.idempotency();
        request.check_schedules(self.deps.clock.now());
        let Request { origin, sender, path, messages, is_async, faults, rate_limit, .. } = request;
        let drafts = match self.drafts(caller, messages, path, faults).await {
            Ok(drafts) => drafts,
            Err(error) => {
                let idempotency = idempotency.filter(|_| is_readable && is_refusal(&error));
                let Some(idempotency) = idempotency else { return Err(error) };
                let accepted = self.accepted_before(caller.organization, idempotency).await?;
                return replay(accepted.ok_or(error)?, is_async);
            }
        };
        self.count(caller, sender, &drafts, &rate_limit).await?;
        let submission = self.submission(sender, drafts, origin, is_async).await?;
        let times = messages.iter().map(|message| message.scheduled_at);
        let submission = scheduled(submission, times);
        self.submit(Submission { idempotency, ..submission }).await
    }

    /// Returns the messages that were accepted for the same request. Needed only if the request
    /// would be refused now: an accepted one is compared with its key when it is written.
    pub(crate) async fn accepted_before(
        &self,
        organization: Id<Organization>,
        idempotency: Idempotency,
    ) -> Result<Option<Vec<Message>>, Error> {
        let accepted = self.accepted_under(organization, &idempotency).await?;
        Ok(accepted.map(|accepted| accepted.messages))
    }

    /// Returns the same request as it was accepted before. Fails if another one had the key.
    async fn accepted_under(
        &self,
        organization: Id<Organization>,
        Idempotency { key, is_sandbox, fingerprint, .. }: &Idempotency,
    ) -> Result<Option<Accepted>, Error> {
        match self.deps.delivery_logs.find_accepted(organization, *is_sandbox, key).await? {
            Some(accepted) if accepted.fingerprint != *fingerprint => {
                Err(Error::Contradiction(IDEMPOTENCY_KEY_REUSED))
            }
            accepted => Ok(accepted),
        }
    }

    /// Completes the messages of a request. `path` returns the path of a message in the request;
    /// `faults` holds the faults found so far.
    async fn drafts(
        &self,
        caller: &Caller,
        messages: &[MessageRequest],
        path: impl Fn(usize) -> String,
        mut faults: Faults,
    ) -> Result<Vec<Draft>, Error> {
        let templates = self.templates(caller.organization, messages).await?;
        let mut drafts = Vec::with_capacity(messages.len());
        let mut filled = 0;
        for (index, message) in messages.iter().enumerate() {
            let template = message.template.and_then(|id| templates.iter().find(|it| it.id == id));
            match message.draft_under(&caller.policy, template) {
                Ok(draft) => {
                    filled += draft.filled_bytes();
                    if filled > MAX_FILLED_BYTES {
                        faults.form.push(TOO_MUCH_TEXT.to_owned());
                        break;
                    }
                    drafts.push(draft);
                }
                Err(mut found) => {
                    let path = path(index);
                    // The template would have given the text.
                    if message.body.is_none() && faults.knows(&path, "templateId") {
                        found.fields.remove("body");
                    }
                    faults.merge_new(&path, found);
                }
            }
        }
        Ok(faults.or(drafts)?)
    }

    /// Counts the messages of a request except the first, which was counted when the caller was
    /// admitted. All those of a rehearsal count, as sandbox messages. Fails if they are too many.
    pub(crate) async fn count(
        &self,
        caller: &Caller,
        sender: Sender,
        drafts: &[Draft],
        rate_limit: &RateLimitSlot,
    ) -> Result<(), Error> {
        let messages = counted_messages(drafts.iter().map(|draft| draft.body.as_str()));
        if sender.is_sandbox && !caller.is_sandbox() {
            return self.deps.limits.rehearsal(caller, messages, rate_limit).await;
        }
        self.deps.limits.messages(caller, messages.saturating_sub(1), rate_limit).await
    }

    /// Counts `count` messages of a rehearsed campaign. Returns the time to wait if they are too many
    /// for now.
    pub(crate) async fn wait_to_rehearse(
        &self,
        organization: Id<Organization>,
        policy: &Policy,
        count: u32,
    ) -> Option<TimeDelta> {
        self.deps.limits.rehearsed_campaign(organization, policy, count).await
    }

    /// Number of urgent messages that an organization may still send ahead of others, at this
    /// instance.
    pub(crate) fn urgent_left(&self, organization: Id<Organization>, now: DateTime<Utc>) -> u32 {
        self.urgency.left(organization, now)
    }

    async fn templates(
        &self,
        organization: Id<Organization>,
        messages: &[MessageRequest],
    ) -> Result<Vec<TemplateText>, Error> {
        let templates = self.known_templates(organization, messages).await?;
        let mut ids = messages.iter().filter_map(|message| message.template);
        if let Some(missing) = ids.find(|id| templates.iter().all(|it| it.id != *id)) {
            return Err(template_not_found(missing));
        }
        if let Some(unapproved) = templates.iter().find(|template| !template.is_approved) {
            return Err(template_not_approved(unapproved.id));
        }
        Ok(templates)
    }

    /// Returns the templates that messages name and that exist.
    async fn known_templates(
        &self,
        organization: Id<Organization>,
        messages: &[MessageRequest],
    ) -> Result<Vec<TemplateText>, Error> {
        let ids: BTreeSet<_> = messages.iter().filter_map(|message| message.template).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<_> = ids.into_iter().collect();
        Ok(self.deps.templates.find_all(organization, &ids).await?)
    }

    /// Returns the submission that sends `drafts`.
    pub(crate) async fn submission(
        &self,
        sender: Sender,
        drafts: Vec<Draft>,
        origin: Origin,
        is_async: bool,
    ) -> Result<Submission, Error> {
        let planning = self.planning(sender, origin).await?;
        let messages = drafts.into_iter().map(|draft| self.plan(draft, &planning));
        Ok(Submission {
            organization: sender.organization,
            idempotency: None,
            messages: messages.collect(),
            first_worker: if is_async { FirstWorker::Workers } else { FirstWorker::Submitter },
            advance: None,
        })
    }

    async fn submit(&self, submission: Submission) -> Result<Sent<Vec<Message>>, Error> {
        let is_async = submission.first_worker == FirstWorker::Workers;
        let receipt = self.accept(submission).await?;
        self.deliver(receipt, is_async).await
    }

    /// Submits messages to the intake.
    pub(crate) async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let receipt = self.deps.intake.accept(submission).await;
        if matches!(receipt, Err(IntakeError::Overloaded)) {
            Limit::Intake.count_refusal();
        }
        if self.deps.tracer.is_on()
            && let Ok(Receipt::Accepted(jobs)) = &receipt
        {
            let now = self.deps.clock.now();
            self.deps
                .tracer
                .export(jobs.iter().filter_map(|job| spans::accepted(&job.message, now)));
        }
        receipt
    }

    /// Delivers accepted messages, unless workers do.
    pub(crate) async fn deliver(
        &self,
        receipt: Receipt,
        is_async: bool,
    ) -> Result<Sent<Vec<Message>>, Error> {
        let accepted = match receipt {
            Receipt::Accepted(jobs) if is_async => {
                jobs.into_iter().map(|job| job.message.as_accepted()).collect()
            }
            // Boxed, so that those who do not wait for the delivery keep no room for it.
            Receipt::Accepted(jobs) => Box::pin(self.deliver_due(jobs)).await?,
            Receipt::Replayed(messages) => return replay(messages, is_async),
        };
        Ok(Sent { accepted, is_replay: false })
    }
}

#[cfg(test)]
mod tests;
