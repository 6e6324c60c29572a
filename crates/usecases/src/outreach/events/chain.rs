//! Fallback of triggers from one channel to the next.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::Status,
        message::{ContactId, Message, Source},
        priority::Origin,
    },
    outreach::trigger::Trigger,
    shared::id::Id,
};
use ports::{
    messaging::messages::{Advance, IntakeError},
    outreach::events::TriggerRepository,
    shared::store::StoreError,
};

use super::{Events, Triggered};
use crate::{
    Error,
    identity::policies::Policies,
    messaging::messages::{Messages, Sender},
};

/// Result of trying the next channel.
enum Next {
    /// The channel was tried.
    Tried(Box<Trigger>, Box<Message>),
    /// Another worker was first, or the trigger has ended.
    Overtaken,
    /// The organization cannot pay for the channel: the trigger has ended.
    Unfunded,
}

impl Events {
    /// Returns the result of a trigger that has just begun with `message`. In a synchronous
    /// request, tries the next channels as long as messages fail.
    pub(super) async fn follow(
        &self,
        mut trigger: Trigger,
        mut message: Message,
        is_async: bool,
    ) -> Result<Triggered, Error> {
        let mut known = vec![message.clone()];
        while !is_async && is_failed(&message) && !trigger.left.is_empty() {
            let step = Step { trigger: trigger.clone(), contact: message.contact, is_async };
            let next = go_on(&self.deps.messages, &*self.deps.triggers, step).await;
            match next {
                Ok(Next::Tried(moved, tried)) => {
                    (trigger, message) = (*moved, *tried);
                    known.push(message.clone());
                }
                Ok(Next::Unfunded) => break,
                Ok(Next::Overtaken) => {
                    let found = self.deps.triggers.find(trigger.organization, trigger.id).await?;
                    trigger = found.unwrap_or(trigger);
                    break;
                }
                Err(error) => {
                    tracing::warn!(%error, trigger_id = %trigger.id, "failed to try the next channel; it is tried again");
                    break;
                }
            }
        }
        let channels = self.channels_of(&trigger, known).await?;
        let last = trigger.messages().last();
        if let Some(last) = last.filter(|last| *last != message.id) {
            let found = self.deps.delivery_logs.find(trigger.organization, last).await?;
            message = found.unwrap_or(message);
        }
        Ok(Triggered { message, event: trigger.event, channels })
    }
}

fn is_failed(message: &Message) -> bool {
    message.delivery.status() == Status::Failed
}

/// Step of a trigger to its next channel.
struct Step {
    trigger: Trigger,
    /// Contact whom it notifies; `None` if it was triggered for an address only.
    contact: Option<ContactId>,
    is_async: bool,
}

/// Tries the next channel of a trigger.
async fn go_on(
    messages: &Messages,
    triggers: &dyn TriggerRepository,
    Step { trigger, contact, is_async }: Step,
) -> Result<Next, Error> {
    let Some(draft) = trigger.left.first().cloned() else { return Ok(Next::Overtaken) };
    let sender = Sender::unasked(trigger.organization, trigger.is_sandbox);
    let mut submission = messages.submission(sender, vec![draft], Origin::Single, is_async).await?;
    let Some(message) = submission.messages.first_mut() else { return Ok(Next::Overtaken) };
    message.source = Some(Source::Trigger(trigger.id));
    message.event = Some(trigger.event.clone());
    message.contact = contact;
    let moved = trigger.clone().going_on_with(message.id);
    submission.advance = Some(Advance::Trigger(moved.clone()));
    let receipt = match messages.accept(submission).await {
        Ok(receipt) => receipt,
        Err(IntakeError::Overtaken) => return Ok(Next::Overtaken),
        Err(
            error @ (IntakeError::InsufficientBalance(_) | IntakeError::SpendingLimitReached(_)),
        ) => {
            tracing::info!(
                trigger_id = %trigger.id, organization = %trigger.organization, %error,
                "ended a trigger: its next channel cannot be paid"
            );
            triggers.end(&trigger).await?;
            return Ok(Next::Unfunded);
        }
        Err(error) => return Err(error.into()),
    };
    let mut sent = messages.deliver(receipt, is_async).await?;
    Ok(match sent.accepted.pop() {
        Some(message) => Next::Tried(Box::new(moved), Box::new(message)),
        None => Next::Overtaken,
    })
}

/// Work on triggers whose messages failed or were not delivered in time.
#[derive(Clone, Constructor)]
pub struct TriggerWork {
    triggers: Arc<dyn TriggerRepository>,
    messages: Messages,
    policies: Policies,
}

impl TriggerWork {
    /// Takes triggers that are due, none of `busy` organizations.
    pub async fn take(
        &self,
        limit: usize,
        busy: &[Id<Organization>],
    ) -> Result<Vec<Trigger>, StoreError> {
        self.triggers.take_due(limit, busy).await
    }

    /// Tries the next channel of a trigger that was taken, which after a failure is taken again
    /// later. Ends the trigger of a suspended or closed organization.
    pub async fn go_on(&self, trigger: Trigger) -> Result<(), Error> {
        if !self.policies.may_send(trigger.organization).await? {
            tracing::info!(
                trigger_id = %trigger.id, organization = %trigger.organization,
                "ended a trigger: the organization is suspended or closed"
            );
            return Ok(self.triggers.end(&trigger).await?);
        }
        let first = trigger.messages().next();
        let contact = match first {
            Some(first) => self.messages.contact_of(trigger.organization, first).await?,
            None => None,
        };
        let step = Step { trigger, contact, is_async: true };
        go_on(&self.messages, &*self.triggers, step).await.map(drop)
    }
}
