//! Inquiry about messages that may have been sent in a time of which the database has lost the writes.

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        attempt::Attempt,
        attempts,
        delivery::{Delivery, DeliveryEvent, Status},
        finding::Finding,
        job::Job,
        message::Message,
        outcome::LookUp,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;

use super::{AdmissionWait, Conclusion, Deliveries, Interruption, Progress};

/// Leased message, with what the providers answered that may have it.
pub struct Inquiry {
    job: Job,
    answer: Answer,
}

/// Answer of the providers that may have a message.
enum Answer {
    /// A provider had it before, and is asked like any that has a message.
    Had,
    /// No provider has it.
    Nobody,
    /// A provider reports this event.
    Reported { provider: String, event: DeliveryEvent },
    /// These providers may have it, and could not be asked.
    Unknown { providers: Vec<String> },
}

impl Inquiry {
    /// Returns the message, with its organization.
    pub fn message(&self) -> (Id<Organization>, Id<Message>) {
        (self.job.message.organization, self.job.message.id)
    }

    /// True if a provider may have the message and could not be asked.
    pub fn is_without_answer(&self) -> bool {
        matches!(self.answer, Answer::Unknown { .. })
    }
}

impl Deliveries {
    /// Asks every provider that may have the message, without sending or writing anything.
    pub async fn inquire(&self, job: Job) -> Inquiry {
        let answer = match job.message.delivery {
            Delivery::Queued { .. } | Delivery::Pending { .. } => self.ask_all(&job).await,
            _ => Answer::Had,
        };
        Inquiry { job, answer }
    }

    /// Records what an inquiry found. A message about which nobody could be asked is in doubt from
    /// `lost_since` on; its validity has ended before, so it is not sent again.
    pub async fn settle(
        &self,
        Inquiry { mut job, answer }: Inquiry,
        lost_since: DateTime<Utc>,
    ) -> Result<Finding, StoreError> {
        let result = match answer {
            Answer::Had => self.work(job, AdmissionWait::None).await?,
            Answer::Nobody => {
                self.deps.jobs.release(std::slice::from_ref(&job)).await?;
                return Ok(Finding::NotSent);
            }
            Answer::Reported { provider, event } => {
                note_possible_attempt(&mut job, &provider, lost_since);
                let progress = self.apply_answer(&mut job, provider, event).await;
                self.finish(job, progress).await?
            }
            Answer::Unknown { providers } => {
                for provider in providers {
                    note_possible_attempt(&mut job, &provider, lost_since);
                }
                let progress = self.await_report_in_doubt(&mut job).map(Progress::Concluded);
                self.finish(job, progress).await?
            }
        };
        Ok(finding(&self.leave_to_workers(result).await?))
    }

    /// Asks the providers that have the message by the log, or may have got it since.
    async fn ask_all(&self, job: &Job) -> Answer {
        if job.message.refusal().is_some() {
            return Answer::Nobody;
        }
        let (mut unknown, mut rejected) = (Vec::new(), None);
        for provider in self.possible_holders(&job.message) {
            match self.look_up(job, &provider).await {
                LookUp::Found(event @ DeliveryEvent::Rejected { .. }) => {
                    rejected = Some((provider, event));
                }
                LookUp::Found(event) => return Answer::Reported { provider, event },
                // A provider that knows of a message has taken it.
                LookUp::Waiting => {
                    let event = DeliveryEvent::Accepted { at: self.deps.clock.now() };
                    return Answer::Reported { provider, event };
                }
                LookUp::NotFound => {}
                LookUp::Unavailable => unknown.push(provider),
            }
        }
        match rejected {
            _ if !unknown.is_empty() => Answer::Unknown { providers: unknown },
            Some((provider, event)) => Answer::Reported { provider, event },
            None => Answer::Nobody,
        }
    }

    /// Returns the names of the providers that have the message by the log, latest first, and of those
    /// to which it may have been handed since.
    fn possible_holders(&self, message: &Message) -> Vec<String> {
        let mut holders: Vec<String> = Vec::new();
        let given = message.attempts.iter().rev().filter(|attempt| attempt.may_have_message());
        let given = given.map(|attempt| attempt.provider.as_str());
        let route = self.deps.providers.route(message, self.deps.clock.now());
        for provider in given.chain(route.iter().map(|step| step.provider)) {
            if !holders.iter().any(|known| known == provider) {
                holders.push(provider.to_owned());
            }
        }
        holders
    }

    async fn apply_answer(
        &self,
        job: &mut Job,
        provider: String,
        event: DeliveryEvent,
    ) -> Result<Progress, Interruption> {
        let event = event.sanitized(job.message.created_at, self.deps.clock.now());
        let delivery = job.message.delivery.after_report(event)?;
        if let Some(failure) = delivery.failure() {
            self.apply_recipient_feedback(&job.message, failure).await;
        }
        let due_in = self.next_follow_up(&delivery, &provider);
        job.message.provider = Some(provider);
        Ok(Progress::Concluded(Conclusion { due_in, ..Conclusion::of(delivery) }))
    }
}

/// Adds an attempt of unknown outcome at a provider, unless there is one: so its report is accepted.
fn note_possible_attempt(job: &mut Job, provider: &str, lost_since: DateTime<Utc>) {
    let attempts = &mut job.message.attempts;
    attempts::end_abandoned(attempts, lost_since);
    let is_noted = |attempt: &Attempt| attempt.provider == provider && attempt.may_have_message();
    if !attempts.iter().any(is_noted) {
        attempts::begin(attempts, provider, lost_since);
        attempts::end_abandoned(attempts, lost_since);
    }
    job.rounds = job.rounds.max(1);
}

fn finding(message: &Message) -> Finding {
    match message.delivery.status() {
        Status::Queued => Finding::NotSent,
        Status::Pending => {
            Finding::InDoubt { provider: message.provider.clone().unwrap_or_default() }
        }
        Status::Sent => Finding::Sent,
        Status::Delivered => Finding::Delivered,
        Status::Failed => Finding::Failed,
    }
}
