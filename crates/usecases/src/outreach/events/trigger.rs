//! Triggers: an event happened, and a recipient is notified.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    audience::contact::Contact,
    identity::{caller::Caller, permission::Permission},
    messaging::{
        delivery::{FailureCode, Status},
        message::{Message, Source, checked_schedule},
        priority::Origin,
    },
    outreach::trigger::{ChannelState, Plan, Trigger, TriggerChannel, TriggerRequest},
    shared::{address::Address, channel::Channel, fault::Faults, id::Id},
};
use ports::messaging::messages::{Advance, Idempotency, Receipt};

use super::{CONTACT_NOT_FOUND, Events, event_not_found, refusals::not_ready};
use crate::{
    Error,
    messaging::messages::{Sender, Sent, checked_key, is_refusal, replay, scheduled},
    shared::{digest::Fingerprint, limits::RateLimitSlot},
};

/// Command that triggers an event.
#[derive(Debug, Clone, Default)]
pub struct TriggerEvent {
    /// Event and recipient.
    pub trigger: TriggerRequest,
    /// Key by which a repeated request is recognized; `None` if it has none.
    pub idempotency_key: Option<String>,
    /// True if the answer comes before the outcome.
    pub is_async: bool,
    /// True to rehearse it in the sandbox; the caller's mode if absent.
    pub is_sandbox: Option<bool>,
    /// Faults found in the request so far.
    pub faults: Faults,
    /// Slot for the rate limits that the request counted against.
    pub rate_limit: RateLimitSlot,
}

/// Result of a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triggered {
    /// Message tried last; of a repeated request the first one.
    pub message: Message,
    /// The slug of the event.
    pub event: String,
    /// The channels of the event in their order.
    pub channels: Vec<TriggeredChannel>,
}

/// Result of one channel of a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggeredChannel {
    /// Channel of the event.
    pub channel: Channel,
    /// Message over the channel; `None` if it was not tried.
    pub message: Option<Id<Message>>,
    /// Status of that message.
    pub status: Option<Status>,
    /// Failure of that message, or reason why the channel cannot be tried.
    pub failure: Option<FailureCode>,
}

impl Events {
    /// Notifies a recipient of an event over the first usable channel. A synchronous request tries
    /// further channels at once when a message fails.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn trigger(
        &self,
        caller: &Caller,
        command: TriggerEvent,
    ) -> Result<Sent<Triggered>, Error> {
        caller.authorize_sending(Permission::TriggerEvents)?;
        let Sent { accepted, is_replay } = self.carry_out(caller, command).await?;
        let message = accepted.message.shown(caller.sees_codes());
        Ok(Sent { accepted: Triggered { message, ..accepted }, is_replay })
    }

    async fn carry_out(
        &self,
        caller: &Caller,
        command: TriggerEvent,
    ) -> Result<Sent<Triggered>, Error> {
        let TriggerEvent { trigger: request, is_async, mut faults, rate_limit, .. } = command;
        let sender = Sender::choosing(caller, command.is_sandbox, &mut faults);
        let is_readable = faults.is_empty();
        let key = command.idempotency_key;
        let key = key.and_then(|key| faults.take("idempotencyKey", checked_key(key)));
        let idempotency = key.map(|key| Idempotency {
            key,
            is_sandbox: sender.is_sandbox,
            fingerprint: fingerprint(&request, sender.is_sandbox, is_async),
            gaps: Vec::new(),
        });
        let event = request.event.clone().unwrap_or_default();
        if let Some(at) = request.scheduled_at {
            let now = self.deps.clock.now();
            faults.take("scheduledAt", checked_schedule(at, sender.is_sandbox, now));
        }
        let hides = request.contact.is_some() && !caller.sees_recipients();
        let sent = match self.planned(caller, sender, &request, faults).await {
            Ok(plan) => {
                let first = plan.drafts.get(..1).unwrap_or_default();
                self.deps.messages.count(caller, sender, first, &rate_limit).await?;
                let TriggerRequest { contact, scheduled_at, .. } = request;
                let beginning = Beginning { sender, contact, scheduled_at, is_async };
                self.begin(beginning, plan, idempotency).await
            }
            Err(error) => {
                let idempotency = idempotency.filter(|_| is_readable && is_refusal(&error));
                let Some(idempotency) = idempotency else { return Err(error) };
                let messages = self.deps.messages.accepted_before(caller.organization, idempotency);
                let messages = messages.await?.ok_or(error)?;
                let channels = Vec::new();
                self.replayed(messages, is_async, Planned { event, channels }).await
            }
        };
        let mut sent = sent?;
        if hides {
            sent.accepted.message = hidden(sent.accepted.message);
        }
        Ok(sent)
    }

    /// Returns the messages to try, and the channels of the event.
    async fn planned(
        &self,
        caller: &Caller,
        sender: Sender,
        request: &TriggerRequest,
        mut faults: Faults,
    ) -> Result<Plan, Error> {
        faults.merge_new("", request.faults());
        faults.or(())?;
        let slug = request.event.as_deref().unwrap_or_default();
        let texts = self.deps.known.texts(caller.organization, slug).await?;
        let texts = texts.ok_or_else(|| event_not_found(slug))?;
        let texts = texts.map_err(|why| not_ready(slug, why))?;
        let contact = self.contact(caller, request.contact).await?;
        let plan = request.plan(&texts, contact.as_ref(), &caller.policy)?;
        if plan.drafts.len() < 2 {
            return Ok(plan);
        }
        let planning = self.deps.messages.planning(sender, Origin::Single).await?;
        let refusals = self.deps.messages.refusals(&plan.drafts, &planning);
        Ok(plan.without(&refusals))
    }

    async fn contact(
        &self,
        caller: &Caller,
        id: Option<Id<Contact>>,
    ) -> Result<Option<Contact>, Error> {
        let Some(id) = id else { return Ok(None) };
        let contact = self.deps.contacts.find(caller.organization, id).await?;
        contact.map(Some).ok_or(Error::UnknownReference(CONTACT_NOT_FOUND))
    }

    async fn begin(
        &self,
        Beginning { sender, contact, scheduled_at, is_async }: Beginning,
        plan: Plan,
        idempotency: Option<Idempotency>,
    ) -> Result<Sent<Triggered>, Error> {
        let event = plan.event.clone();
        let channels = plan.channels.clone();
        let Some(draft) = plan.drafts.first().cloned() else {
            return Err(Error::NotFound("message"));
        };
        let mut submission =
            self.deps.messages.submission(sender, vec![draft], Origin::Single, is_async).await?;
        submission = scheduled(submission, std::iter::once(scheduled_at));
        submission.idempotency = idempotency;
        if let Some(message) = submission.messages.first_mut() {
            message.event = Some(event.clone());
            message.contact = contact.map(|contact| contact.uuid().into());
        }
        let mut trigger = None;
        if plan.drafts.len() > 1
            && let Some(message) = submission.messages.first_mut()
        {
            let id = Id::new_in(message.created_at, sender.organization);
            let begun = plan.trigger(id, sender.organization, sender.is_sandbox);
            let begun = begun.going_on_with(message.id);
            message.source = Some(Source::Trigger(id));
            submission.advance = Some(Advance::Trigger(begun.clone()));
            trigger = Some(begun);
        }
        let receipt = self.deps.messages.accept(submission).await?;
        if let Receipt::Replayed(messages) = receipt {
            return self.replayed(messages, is_async, Planned { event, channels }).await;
        }
        let mut sent = self.deps.messages.deliver(receipt, is_async).await?;
        let first = sent.accepted.pop().ok_or(Error::NotFound("message"))?;
        let triggered = match trigger {
            None => Triggered { channels: single(&channels, &first), event, message: first },
            Some(trigger) => self.follow(trigger, first, is_async).await?,
        };
        Ok(Sent { accepted: triggered, is_replay: false })
    }

    /// Answers a repeated request with the first message, and the channels in their current state.
    async fn replayed(
        &self,
        messages: Vec<Message>,
        is_async: bool,
        planned: Planned,
    ) -> Result<Sent<Triggered>, Error> {
        let Planned { event, channels } = planned;
        let first = messages.first().cloned().ok_or(Error::NotFound("message"))?;
        let mut sent = replay(messages, is_async)?;
        let message = sent.accepted.pop().ok_or(Error::NotFound("message"))?;
        let trigger = match first.source.and_then(Source::trigger) {
            Some(id) => self.deps.triggers.find(first.organization, id).await?,
            None => None,
        };
        let channels = match trigger {
            Some(trigger) => self.channels_of(&trigger, vec![first]).await?,
            None => single(&channels, &first),
        };
        Ok(Sent { accepted: Triggered { message, event, channels }, is_replay: true })
    }

    /// Returns the channels of a trigger with their messages, some of which are `known`.
    pub(super) async fn channels_of(
        &self,
        trigger: &Trigger,
        mut known: Vec<Message>,
    ) -> Result<Vec<TriggeredChannel>, Error> {
        for id in trigger.messages() {
            if known.iter().all(|message| message.id != id) {
                known.extend(self.deps.delivery_logs.find(trigger.organization, id).await?);
            }
        }
        let channels = trigger.channels.iter().map(|it| {
            let message = match it.state {
                ChannelState::Tried(id) => known.iter().find(|message| message.id == id),
                ChannelState::Left | ChannelState::Skipped(_) => None,
            };
            TriggeredChannel::of(it, message)
        });
        Ok(channels.collect())
    }
}

/// Returns a message as it is shown to callers that may not see the contact.
fn hidden(mut message: Message) -> Message {
    let draft = Arc::make_mut(&mut message.draft);
    draft.recipient = Address::stored(draft.recipient.masked());
    HIDDEN.clone_into(&mut draft.body);
    draft.subject = draft.subject.take().map(|_| HIDDEN.to_owned());
    message
}

/// Placeholder for texts that are not shown.
const HIDDEN: &str = "••••••";

/// Circumstances under which a trigger begins.
struct Beginning {
    sender: Sender,
    contact: Option<Id<Contact>>,
    scheduled_at: Option<DateTime<Utc>>,
    is_async: bool,
}

/// Event and channels of a repeated request, as if it were new.
struct Planned {
    event: String,
    channels: Vec<TriggerChannel>,
}

impl TriggeredChannel {
    fn of(channel: &TriggerChannel, message: Option<&Message>) -> Self {
        let failure = match (message, channel.state) {
            (Some(message), _) => message.delivery.failure().map(|failure| failure.code),
            (None, ChannelState::Skipped(code)) => Some(code),
            (None, ChannelState::Left | ChannelState::Tried(_)) => None,
        };
        let tried = if let ChannelState::Tried(id) = channel.state { Some(id) } else { None };
        Self {
            channel: channel.channel,
            message: message.map(|message| message.id).or(tried),
            status: message.map(|message| message.delivery.status()),
            failure,
        }
    }
}

/// Channels of a trigger that led to a single message.
fn single(planned: &[TriggerChannel], message: &Message) -> Vec<TriggeredChannel> {
    let own =
        TriggerChannel { channel: message.draft.channel, state: ChannelState::Tried(message.id) };
    let mut channels: Vec<_> = planned
        .iter()
        .map(|it| {
            let is_own = it.channel == own.channel;
            if is_own {
                TriggeredChannel::of(&own, Some(message))
            } else {
                TriggeredChannel::of(it, None)
            }
        })
        .collect();
    if channels.is_empty() {
        channels.push(TriggeredChannel::of(&own, Some(message)));
    }
    channels
}

fn fingerprint(request: &TriggerRequest, is_sandbox: bool, is_async: bool) -> [u8; 32] {
    Fingerprint::of("trigger").flag(is_sandbox).flag(is_async).trigger(request).finish()
}
