//! Sending messages and following them.

mod planning;
mod refusals;
mod request;
mod service_mail;
mod urgency;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{
    content::template::TemplateText,
    identity::{caller::Caller, organization::Organization, permission::Permission},
    messaging::{
        message::{Draft, MAX_FILLED_BYTES, Message, MessageRequest},
        priority::Origin,
    },
    shared::{fault::Faults, id::Id},
};
use ports::{
    content::templates::TemplateRepository,
    messaging::{
        delivery_logs::DeliveryLogRepository,
        messages::{FirstWorker, Idempotency, Intake, IntakeError, Receipt, Submission},
    },
    shared::clock::Clock,
};

pub use self::refusals::{
    IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, template_not_approved, template_not_found,
};
pub(crate) use self::{
    planning::Sender,
    request::{checked_key, is_refusal, replay},
};
use self::{request::Request, urgency::Urgency};
use crate::{
    Error,
    messaging::deliveries::Deliveries,
    money::prices::Prices,
    platform::{
        limits::{Limit, Limits, RateLimitSlot, counted_messages},
        traffic::FraudGuard,
    },
    providers::provider_registry::Providers,
};

/// The most messages in one bulk request.
pub const MAX_BULK: usize = 100;
/// The filled texts are longer than [`MAX_FILLED_BYTES`].
const TOO_MUCH_TEXT: &str = "must have at most 4 MiB of text, with the placeholders filled";

/// Operations on messages.
#[derive(Clone)]
pub struct Messages {
    templates: Arc<dyn TemplateRepository>,
    delivery_logs: Arc<dyn DeliveryLogRepository>,
    intake: Arc<dyn Intake>,
    prices: Prices,
    providers: Arc<Providers>,
    deliveries: Deliveries,
    clock: Arc<dyn Clock>,
    urgency: Arc<Urgency>,
    limits: Limits,
    fraud_guard: Option<FraudGuard>,
}

/// What [`Messages`] works with.
pub struct MessagesDeps {
    /// Where templates are read.
    pub templates: Arc<dyn TemplateRepository>,
    /// Where messages are read.
    pub delivery_logs: Arc<dyn DeliveryLogRepository>,
    /// What makes messages durable and paid for.
    pub intake: Arc<dyn Intake>,
    /// What messages cost.
    pub prices: Prices,
    /// Who carries messages.
    pub providers: Arc<Providers>,
    /// What delivers synchronous messages.
    pub deliveries: Deliveries,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

/// A request to send one message.
#[derive(Debug, Clone, Default)]
pub struct SendMessage {
    /// The message.
    pub message: MessageRequest,
    /// What makes a repetition of the request known.
    pub idempotency_key: Option<String>,
    /// Whether the answer comes before the outcome.
    pub is_async: bool,
    /// What is already known to be wrong with the request.
    pub faults: Faults,
    /// What the request is counted against.
    pub tally: RateLimitSlot,
}

/// A request to send several messages, all or none.
#[derive(Debug, Clone, Default)]
pub struct SendBulk {
    /// The messages: 1 to [`MAX_BULK`].
    pub messages: Vec<MessageRequest>,
    /// What makes a repetition of the request known.
    pub idempotency_key: Option<String>,
    /// Whether the answer comes before the outcome.
    pub is_async: bool,
    /// What is already known to be wrong with the request.
    pub faults: Faults,
    /// What the request is counted against.
    pub tally: RateLimitSlot,
}

/// What was accepted for a request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<T> {
    /// The message, or the messages in their order.
    pub accepted: T,
    /// Whether that was done for the same request before, and nothing now.
    pub is_replay: bool,
}

impl Sent<Vec<Message>> {
    /// The messages as the caller sees them.
    fn shown_to(self, caller: &Caller) -> Self {
        let sees_codes = caller.sees_codes();
        let accepted = self.accepted.into_iter().map(|message| message.shown(sees_codes));
        Self { accepted: accepted.collect(), ..self }
    }
}

impl Messages {
    /// Sends with these deps.
    pub fn new(deps: MessagesDeps) -> Self {
        Self {
            templates: deps.templates,
            delivery_logs: deps.delivery_logs,
            intake: deps.intake,
            prices: deps.prices,
            providers: deps.providers,
            deliveries: deps.deliveries,
            clock: deps.clock,
            urgency: Arc::default(),
            limits: Limits::off(),
            fraud_guard: None,
        }
    }

    /// Counts messages, all but the first of a request: that one is counted when the caller is let
    /// in, so that requests which come to nothing are counted too.
    #[must_use]
    pub fn limited_by(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Refuses messages for where they go.
    #[must_use]
    pub fn refused_by(self, fraud_guard: FraudGuard) -> Self {
        Self { fraud_guard: Some(fraud_guard), ..self }
    }

    /// Sends one message. An asynchronous one is returned as it was accepted; any other as it
    /// stands after its first round through the providers.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send(
        &self,
        caller: &Caller,
        command: SendMessage,
    ) -> Result<Sent<Message>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let request = Request {
            kind: "send",
            origin: Origin::Single,
            path: |_| String::new(),
            messages: &[command.message],
            idempotency_key: command.idempotency_key,
            is_async: command.is_async,
            faults: command.faults,
            tally: command.tally,
        };
        let mut sent = self.carry_out(caller, request).await?.shown_to(caller);
        let message = sent.accepted.pop().ok_or(Error::NotFound("message"))?;
        Ok(Sent { accepted: message, is_replay: sent.is_replay })
    }

    /// Sends several messages, in their order: all are accepted, or none.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send_bulk(
        &self,
        caller: &Caller,
        command: SendBulk,
    ) -> Result<Sent<Vec<Message>>, Error> {
        caller.authorize_sending(Permission::SendMessages)?;
        let mut faults = command.faults;
        if command.messages.is_empty() && !faults.fields.contains_key("messages") {
            faults.add("messages", "must have at least 1 item");
        }
        if command.messages.len() > MAX_BULK {
            faults.add("messages", format!("must have at most {MAX_BULK} items"));
        }
        for (index, message) in command.messages.iter().take(MAX_BULK).enumerate() {
            let path = format!("messages.{index}.body");
            if message.body.is_none() && !faults.fields.contains_key(&path) {
                faults.add(path, "is required");
            }
        }
        let request = Request {
            kind: "bulk",
            origin: Origin::Bulk,
            path: |index| format!("messages.{index}"),
            messages: &command.messages[..command.messages.len().min(MAX_BULK)],
            idempotency_key: command.idempotency_key,
            is_async: command.is_async,
            faults,
            tally: command.tally,
        };
        Ok(self.carry_out(caller, request).await?.shown_to(caller))
    }

    /// Looks a message up.
    pub async fn get(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        caller.authorize(Permission::ReadMessages)?;
        let message = self.delivery_logs.find(caller.organization, id).await?;
        let message = message.filter(|message| message.is_sandbox || !caller.is_sandbox());
        let message = message.ok_or(Error::NotFound("message"))?;
        Ok(message.shown(caller.sees_codes()))
    }

    /// Sends the messages of a request, or finds what was sent for it the first time.
    async fn carry_out(
        &self,
        caller: &Caller,
        mut request: Request<'_>,
    ) -> Result<Sent<Vec<Message>>, Error> {
        let is_readable = request.faults.is_empty();
        let idempotency = request.idempotency(caller.is_sandbox());
        let Request { origin, path, messages, is_async, faults, tally, .. } = request;
        let drafts = match self.drafts(caller, messages, path, faults).await {
            Ok(drafts) => drafts,
            Err(error) => {
                let idempotency = idempotency.filter(|_| is_readable && is_refusal(&error));
                let Some(idempotency) = idempotency else { return Err(error) };
                let accepted = self.accepted_before(caller.organization, idempotency).await?;
                return replay(accepted.ok_or(error)?, is_async);
            }
        };
        self.count(caller, &drafts, &tally).await?;
        let submission = self.submission(Sender::of(caller), drafts, origin, is_async).await?;
        self.submit(Submission { idempotency, ..submission }).await
    }

    /// The messages that were accepted for the same request. Asked only when the request would be
    /// refused now: what is accepted is compared with its key when it is written.
    pub(crate) async fn accepted_before(
        &self,
        organization: Id<Organization>,
        idempotency: Idempotency,
    ) -> Result<Option<Vec<Message>>, Error> {
        let Idempotency { key, is_sandbox, fingerprint } = idempotency;
        match self.delivery_logs.find_accepted(organization, is_sandbox, &key).await? {
            Some(accepted) if accepted.fingerprint != fingerprint => {
                Err(Error::Contradiction(IDEMPOTENCY_KEY_REUSED))
            }
            accepted => Ok(accepted.map(|accepted| accepted.messages)),
        }
    }

    /// Completes the messages of a request. `path` says where in the request each stands; `faults`
    /// holds what is already known to be wrong.
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

    /// Counts the messages of a request but for its first, and refuses them if they are too many.
    pub(crate) async fn count(
        &self,
        caller: &Caller,
        drafts: &[Draft],
        tally: &RateLimitSlot,
    ) -> Result<(), Error> {
        let messages = counted_messages(drafts.iter().map(|draft| draft.body.as_str()));
        self.limits.messages(caller, messages.saturating_sub(1), tally).await
    }

    /// How many messages that an organization calls urgent still go before others, at this instance.
    pub(crate) fn urgent_left(&self, organization: Id<Organization>, now: DateTime<Utc>) -> u32 {
        self.urgency.left(organization, now)
    }

    async fn templates(
        &self,
        organization: Id<Organization>,
        messages: &[MessageRequest],
    ) -> Result<Vec<TemplateText>, Error> {
        let ids: BTreeSet<_> = messages.iter().filter_map(|message| message.template).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<_> = ids.into_iter().collect();
        let templates = self.templates.find_all(organization, &ids).await?;
        if let Some(missing) = ids.iter().find(|id| templates.iter().all(|it| it.id != **id)) {
            return Err(template_not_found(*missing));
        }
        if let Some(unapproved) = templates.iter().find(|template| !template.is_approved) {
            return Err(template_not_approved(unapproved.id));
        }
        Ok(templates)
    }

    /// What is submitted to send these drafts.
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

    /// Has a submission accepted.
    pub(crate) async fn accept(&self, submission: Submission) -> Result<Receipt, IntakeError> {
        let receipt = self.intake.accept(submission).await;
        if matches!(receipt, Err(IntakeError::Overloaded)) {
            Limit::Intake.count_refusal();
        }
        receipt
    }

    /// Delivers what was accepted, unless others do.
    pub(crate) async fn deliver(
        &self,
        receipt: Receipt,
        is_async: bool,
    ) -> Result<Sent<Vec<Message>>, Error> {
        let accepted = match receipt {
            Receipt::Accepted(jobs) if is_async => {
                jobs.into_iter().map(|job| job.message.as_accepted()).collect()
            }
            Receipt::Accepted(jobs) => self.deliveries.deliver_all(jobs).await?,
            Receipt::Replayed(messages) => return replay(messages, is_async),
        };
        Ok(Sent { accepted, is_replay: false })
    }
}

#[cfg(test)]
mod tests;
