//! Messages that repeat failed ones.

use domain::{
    identity::{caller::Caller, policy::Policy},
    messaging::{
        message::{Draft, Message, MessageRequest},
        resend::{FailedGroup, Resend, ResendTask},
    },
    shared::{id::Id, money::Money, trace::TraceHead},
};
use ports::{
    messaging::messages::{Advance, Submission},
    shared::store::StoreError,
};

use super::{Messages, Sender};
use crate::{Error, messaging::delivery_logs::find_visible};

/// Circumstances under which a message is sent again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repetition {
    /// Message that repeated it before.
    pub(crate) former: Option<Id<Message>>,
    /// Task that sends it again; `None` if it is sent again by itself.
    pub(crate) task: Option<Id<ResendTask>>,
    /// Trace of the request that sends it again.
    pub(crate) trace: TraceHead,
}

impl Messages {
    /// Returns a message of the caller's organization, unless it is live and the caller is not.
    pub(crate) async fn find(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        find_visible(&*self.deps.delivery_logs, caller, id).await
    }

    /// Returns the draft of a message that repeats this one. Recipient, sender and template are
    /// checked anew.
    pub(crate) async fn draft_again(
        &self,
        message: &Message,
        policy: &Policy,
    ) -> Result<Draft, Error> {
        let template = message.draft.template;
        let request = MessageRequest { template, ..MessageRequest::default() };
        let templates = self.templates(message.organization, &[request]).await?;
        Ok(message.draft.again(policy, templates.first())?)
    }

    /// Returns the submission of a message that repeats this one with `draft`, at the prices and
    /// over the routes of now.
    pub(crate) async fn repeat(
        &self,
        message: &Message,
        draft: Draft,
        repetition: Repetition,
    ) -> Result<Submission, Error> {
        let is_one_of_many = repetition.task.is_some();
        let sender = Sender {
            organization: message.organization,
            is_sandbox: message.is_sandbox,
            trace: repetition.trace,
        };
        let origin = message.resend_origin(is_one_of_many);
        let mut submission = self.submission(sender, vec![draft], origin, is_one_of_many).await?;
        let Some(replacement) = submission.messages.first_mut() else {
            return Err(Error::NotFound("message"));
        };
        replacement.resent_from = Some(message.id);
        replacement.event.clone_from(&message.event);
        replacement.contact = message.contact;
        submission.advance = Some(Advance::Resend(Resend {
            message: message.id,
            replacement: replacement.id,
            former: repetition.former,
            task: repetition.task,
        }));
        Ok(submission)
    }

    /// Returns the cost of live messages at the prices of now. Those without a price cost nothing,
    /// because they would fail.
    pub(crate) async fn cost_again(
        &self,
        caller: &Caller,
        groups: &[FailedGroup],
    ) -> Result<Money, StoreError> {
        let prices = self.deps.prices.current().await?;
        let costs = groups.iter().map(|group| {
            let FailedGroup { channel, country, segments, messages, .. } = *group;
            let price = prices.price(caller.organization, channel, country, segments);
            let micros = price.unwrap_or_default().micros();
            let messages = i64::try_from(messages).unwrap_or(i64::MAX);
            Money::from_micros(micros.saturating_mul(messages))
        });
        Ok(costs.sum())
    }
}
