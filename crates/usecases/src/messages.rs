//! Sending messages and following them.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    address::Address,
    caller::Caller,
    category::Category,
    channel::Channel,
    country::Country,
    delivery::{Failure, FailureCode},
    fault::Faults,
    id::Id,
    lane::Origin,
    message::{Composition, Draft, Message, Terms},
    money::Money,
    organization::{Organization, PLATFORM},
    permission::Permission,
    pricing::PriceList,
    provider::Attempt,
    template::Template,
};
use ports::{
    clock::Clock,
    messages::{FirstWorker, Idempotency, Intake, Receipt, Submission},
    store::Store,
};

use crate::{
    Error, billing::Prices, deliveries::Deliveries, digest::Fingerprint, providers::Providers,
};

/// The most messages in one bulk request.
pub const MAX_BULK: usize = 100;
/// The longest idempotency key, in characters.
const MAX_KEY: usize = 255;

/// Operations on messages.
#[derive(Clone)]
pub struct Messages {
    store: Arc<dyn Store>,
    intake: Arc<dyn Intake>,
    prices: Prices,
    providers: Arc<Providers>,
    deliveries: Deliveries,
    clock: Arc<dyn Clock>,
}

/// What [`Messages`] works with.
pub struct MessagesParts {
    /// Where templates and messages are read.
    pub store: Arc<dyn Store>,
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
    pub message: Composition,
    /// What makes a repetition of the request known.
    pub idempotency_key: Option<String>,
    /// Whether the answer comes before the outcome.
    pub is_async: bool,
    /// What is already known to be wrong with the request.
    pub faults: Faults,
}

/// A request to send several messages, all or none.
#[derive(Debug, Clone, Default)]
pub struct SendBulk {
    /// The messages: 1 to [`MAX_BULK`].
    pub messages: Vec<Composition>,
    /// Whether the answer comes before the outcome.
    pub is_async: bool,
    /// What is already known to be wrong with the request.
    pub faults: Faults,
}

impl Messages {
    /// Sends with these parts.
    pub fn new(parts: MessagesParts) -> Self {
        let MessagesParts { store, intake, prices, providers, deliveries, clock } = parts;
        Self { store, intake, prices, providers, deliveries, clock }
    }

    /// Sends one message. An asynchronous one is returned as it was accepted; any other as it
    /// stands after its first round through the providers.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send(&self, caller: &Caller, command: SendMessage) -> Result<Message, Error> {
        caller.authorize(Permission::SendMessages)?;
        let mut faults = command.faults;
        let key = command.idempotency_key.and_then(|key| checked_key(key, &mut faults));
        let idempotency = key.map(|key| {
            // A rehearsal is another request: it must never pass for the message itself.
            let fingerprint = Fingerprint::of("send")
                .flag(caller.is_sandbox())
                .flag(command.is_async)
                .message(&command.message)
                .finish();
            Idempotency { key, fingerprint }
        });
        let messages = [command.message];
        let drafts = self.drafts(caller.organization, &messages, |_| String::new(), faults).await?;

        let submission = Submission {
            idempotency,
            ..self.submission(caller, drafts, Origin::Single, command.is_async).await?
        };
        let mut messages = self.submit(submission).await?;
        messages.pop().ok_or(Error::NotFound("message"))
    }

    /// Sends several messages, in their order: all are accepted, or none.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn send_bulk(
        &self,
        caller: &Caller,
        command: SendBulk,
    ) -> Result<Vec<Message>, Error> {
        caller.authorize(Permission::SendMessages)?;
        let mut faults = command.faults;
        if command.messages.is_empty() && !faults.fields.contains_key("messages") {
            faults.add("messages", "must have at least 1 item");
        }
        if command.messages.len() > MAX_BULK {
            faults.add("messages", format!("must have at most {MAX_BULK} items"));
        }
        for (index, message) in command.messages.iter().take(MAX_BULK).enumerate() {
            if message.body.is_none() && message.template.is_some() {
                faults.add(format!("messages.{index}.body"), "is required");
            }
        }
        let messages = &command.messages[..command.messages.len().min(MAX_BULK)];
        let path = |index| format!("messages.{index}");
        let drafts = self.drafts(caller.organization, messages, path, faults).await?;

        let submission = self.submission(caller, drafts, Origin::Bulk, command.is_async).await?;
        self.submit(submission).await
    }

    /// Looks a message up.
    pub async fn get(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        caller.authorize(Permission::ReadMessages)?;
        let mut session = self.store.connect().await?;
        let message = session.delivery_logs().find(caller.organization, id).await?;
        message.ok_or(Error::NotFound("message"))
    }

    /// Sends a mail in the service's own name, free of charge. Its text is forgotten once a
    /// provider has it, for it may hold a secret.
    pub async fn send_service_mail(
        &self,
        to: &str,
        subject: &str,
        body: String,
    ) -> Result<(), Error> {
        let draft = Draft {
            channel: Channel::Email,
            recipient: Address::stored(to.to_owned()),
            country: Country::GH,
            category: Category::Otp,
            sender: None,
            subject: Some(subject.to_owned()),
            body,
            segments: 1,
            template: None,
            vendor_template: None,
        };
        let refusal = self.refusal(&draft, false);
        let terms = Terms { cost: Money::ZERO, refusal, is_sandbox: false, is_confidential: true };
        let message = Message::queue(PLATFORM, draft, Origin::Single, terms, self.clock.now());
        let submission = Submission {
            organization: PLATFORM,
            idempotency: None,
            messages: vec![message],
            first_worker: FirstWorker::Workers,
        };
        self.submit(submission).await?;
        Ok(())
    }

    /// Completes the messages of a request. `path` says where in the request each stands; `faults`
    /// holds what is already known to be wrong.
    async fn drafts(
        &self,
        organization: Id<Organization>,
        messages: &[Composition],
        path: impl Fn(usize) -> String,
        mut faults: Faults,
    ) -> Result<Vec<Draft>, Error> {
        let templates = self.templates(organization, messages).await?;
        let mut drafts = Vec::with_capacity(messages.len());
        for (index, message) in messages.iter().enumerate() {
            let template = message.template.and_then(|id| templates.iter().find(|it| it.id == id));
            match message.draft(template) {
                Ok(draft) => drafts.push(draft),
                Err(found) => faults.merge_new(&path(index), found),
            }
        }
        Ok(faults.or(drafts)?)
    }

    async fn templates(
        &self,
        organization: Id<Organization>,
        messages: &[Composition],
    ) -> Result<Vec<Template>, Error> {
        let ids: BTreeSet<_> = messages.iter().filter_map(|message| message.template).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<_> = ids.into_iter().collect();
        let mut session = self.store.connect().await?;
        let templates = session.templates().find_all(organization, &ids).await?;
        if templates.len() < ids.len() {
            return Err(Error::TemplateNotFound);
        }
        if templates.iter().any(|template| !template.is_approved) {
            return Err(Error::TemplateNotApproved);
        }
        Ok(templates)
    }

    async fn submission(
        &self,
        caller: &Caller,
        drafts: Vec<Draft>,
        origin: Origin,
        is_async: bool,
    ) -> Result<Submission, Error> {
        let prices = self.prices.current().await?;
        let now = self.clock.now();
        let messages = drafts.into_iter().map(|draft| {
            let terms = self.terms(caller, &draft, &prices);
            let first = self.providers.first_for(&draft, terms.is_sandbox, now);
            let attempts = first.map(|provider| Attempt::start(provider, now));
            let attempts = attempts.filter(|_| terms.refusal.is_none()).into_iter().collect();
            let message = Message::queue(caller.organization, draft, origin, terms, now);
            Message { attempts, ..message }
        });
        Ok(Submission {
            organization: caller.organization,
            idempotency: None,
            messages: messages.collect(),
            first_worker: if is_async { FirstWorker::Workers } else { FirstWorker::Submitter },
        })
    }

    fn terms(&self, caller: &Caller, draft: &Draft, prices: &PriceList) -> Terms {
        let is_sandbox = caller.is_sandbox();
        let price = prices.price(caller.organization, draft);
        let refusal = self.refusal(draft, is_sandbox).or_else(|| match price {
            None if !is_sandbox => {
                Some(Failure::new(FailureCode::NoRoute, "there is no price for this route"))
            }
            _ => None,
        });
        let is_free = is_sandbox || refusal.is_some();
        let cost = if is_free { Money::ZERO } else { price.unwrap_or_default() };
        Terms { cost, refusal, is_sandbox, is_confidential: false }
    }

    fn refusal(&self, draft: &Draft, is_sandbox: bool) -> Option<Failure> {
        let served = self.providers.serve(draft, is_sandbox);
        let refusal = || {
            let (channel, country) = (draft.channel, draft.country);
            Failure::new(FailureCode::NoRoute, format!("no provider serves {channel} to {country}"))
        };
        (!served).then(refusal)
    }

    async fn submit(&self, submission: Submission) -> Result<Vec<Message>, Error> {
        let waits = submission.first_worker == FirstWorker::Submitter;
        match (self.intake.accept(submission).await?, waits) {
            (Receipt::Accepted(jobs), true) => Ok(self.deliveries.deliver_all(jobs).await?),
            (Receipt::Accepted(jobs), false) => {
                Ok(jobs.into_iter().map(|job| job.message).map(Message::as_accepted).collect())
            }
            (Receipt::Replayed(messages), true) => {
                let is_open = |message: &Message| !has_outcome(message);
                if messages.iter().any(is_open) {
                    return Err(Error::IdempotencyInProgress);
                }
                Ok(messages)
            }
            (Receipt::Replayed(messages), false) => {
                Ok(messages.into_iter().map(Message::as_accepted).collect())
            }
        }
    }
}

/// Whether a first round through the providers is over.
fn has_outcome(message: &Message) -> bool {
    let has_ended = message.attempts.iter().any(|attempt| !attempt.is_open());
    has_ended || message.delivery.status().is_final()
}

fn checked_key(key: String, faults: &mut Faults) -> Option<String> {
    if key.is_empty() || key.chars().count() > MAX_KEY {
        faults.add("idempotencyKey", format!("must have 1 to {MAX_KEY} characters"));
    } else if key.contains('\0') {
        faults.add("idempotencyKey", "must not contain the character NUL");
    } else {
        return Some(key);
    }
    None
}

#[cfg(test)]
mod tests;
