//! Acceptance of submissions, all of one or nothing.

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{Failure, FailureCode},
        job::{Job, Lease},
        message::Message,
        priority::ProviderQueue,
    },
    shared::{id::Id, money::Money},
};
use ports::{
    messaging::messages::{Advance, IntakeError, Receipt, Submission},
    shared::store::StoreError,
};

use super::State;

/// Parameters of the acceptance of a submission.
pub(crate) struct Acceptance<'a> {
    pub(crate) now: DateTime<Utc>,
    /// Instance that leases the messages.
    pub(crate) instance: u64,
    /// Returns the provider queue of a message, and true if this instance takes it.
    pub(crate) place: &'a mut dyn FnMut(&Message) -> (ProviderQueue, bool),
}

/// Result of a submission.
pub(crate) type Accepted = Result<Receipt, IntakeError>;

impl State {
    /// Accepts a submission.
    pub(crate) fn accept(&mut self, submission: Submission, by: Acceptance<'_>) -> Accepted {
        let organization = submission.organization;
        if let Some(answer) = self.answer_of_key(&submission, by.now) {
            return answer;
        }
        if !self.is_next(submission.advance.as_ref()) {
            return Err(IntakeError::Overtaken);
        }
        let messages = submission.messages.into_iter();
        let messages: Vec<_> = messages.map(|message| self.unless_suppressed(message)).collect();
        let cost = messages.iter().map(|message| message.cost).sum();
        self.check_funds(organization, cost, by.now)?;

        if let Some(idempotency) = &submission.idempotency {
            let ids = messages.iter().map(|message| message.id).collect();
            self.keys.note(organization, idempotency, ids, by.now);
        }
        match submission.advance {
            Some(Advance::Trigger(trigger)) => {
                let waiting = messages.first().filter(|message| message.is_scheduled());
                let starts_at = waiting.and_then(|message| message.scheduled_at);
                self.triggers.write(trigger, starts_at.unwrap_or(by.now));
            }
            Some(Advance::Resend(resend)) => {
                self.resends.insert(resend.message, resend.replacement);
            }
            Some(Advance::Campaign(_)) | None => {}
        }
        Ok(Receipt::Accepted(self.write(messages, by)))
    }

    /// Returns the answer to a request whose key was used before.
    fn answer_of_key(&self, submission: &Submission, now: DateTime<Utc>) -> Option<Accepted> {
        let idempotency = submission.idempotency.as_ref()?;
        let name = (idempotency.is_sandbox, idempotency.key.as_str());
        let used = self.keys.find(submission.organization, name, now)?;
        if used.fingerprint != idempotency.fingerprint {
            return Some(Err(IntakeError::IdempotencyKeyReused));
        }
        let messages = used.messages.iter().filter_map(|id| self.messages.find(*id).cloned());
        Some(Ok(Receipt::Replayed(messages.collect())))
    }

    fn is_next(&self, advance: Option<&Advance>) -> bool {
        match advance {
            None => true,
            Some(Advance::Trigger(trigger)) => self.triggers.is_next(trigger),
            Some(Advance::Resend(resend)) => match self.resends.get(&resend.message) {
                None => true,
                Some(replacement) => resend.former == Some(*replacement),
            },
            // No campaign is ever being sent.
            Some(Advance::Campaign(_)) => false,
        }
    }

    fn unless_suppressed(&self, message: Message) -> Message {
        if !self.suppressions.bars(&message, &self.contacts) {
            return message;
        }
        let reason = "the recipient is on the suppression list";
        message.refused(Failure::new(FailureCode::RecipientSuppressed, reason))
    }

    fn check_funds(
        &self,
        organization: Id<Organization>,
        cost: Money,
        now: DateTime<Utc>,
    ) -> Result<(), IntakeError> {
        let daily_limit = self.organizations.daily_limit(organization);
        match self.wallets.funds(organization, daily_limit, now) {
            Some(funds) => {
                funds.pay(cost)?;
            }
            None if cost == Money::ZERO => {}
            None => return Err(StoreError::Unavailable("the wallet is not open yet".into()).into()),
        }
        Ok(())
    }

    /// Writes accepted messages, and returns their jobs.
    fn write(&mut self, messages: Vec<Message>, by: Acceptance<'_>) -> Vec<Job> {
        let Acceptance { now, instance, place } = by;
        let lease = self.lease(instance);
        let mut jobs = Vec::with_capacity(messages.len());
        for mut message in messages {
            let (provider_queue, has_room) = place(&message);
            let is_ours = has_room && !message.is_scheduled();
            let lease = if is_ours { lease } else { Lease::NONE };
            if !is_ours {
                // Neither the time nor the provider of the first attempt is known yet.
                message.attempts.clear();
            }
            self.wallets.pay(&message, now);
            self.jobs.add(&message, provider_queue, lease, now);
            self.messages.insert(message.clone());
            jobs.push(Job { message, lease, rounds: 0, provider_queue, is_scored: false });
        }
        jobs
    }
}
