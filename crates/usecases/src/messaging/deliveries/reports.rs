//! Reports that providers send on their own.

use async_trait::async_trait;
use domain::{
    messaging::{
        callback::MessageRef,
        delivery::{Delivery, DeliveryEvent, Failure, Status},
        job::ReportApplied,
        message::Message,
        report::{Report, ReportEffect},
    },
    shared::id::Id,
};
use ports::{
    messaging::messages::Recorded, providers::provider::ReportSink, shared::store::StoreError,
};

use super::Deliveries;

/// Number of tries to apply a report to a message that changes meanwhile.
const REPORT_TRIES: usize = 3;

impl Deliveries {
    /// Applies a provider's report. A report that is late, repeated or on an unknown message
    /// changes nothing, and is no error.
    pub async fn report(&self, report: Report) -> Result<(), StoreError> {
        let message = match self.just_sent(report.message).await {
            Some(message) => Some(message),
            None => self.deps.jobs.find(report.message).await?,
        };
        let Some(message) = message else {
            tracing::info!(message_id = %report.message, "ignored a report on an unknown message");
            return Ok(());
        };
        self.apply(message, report.provider.as_deref(), report.event).await?;
        Ok(())
    }

    /// Returns a message, if this process has just sent it, once that is written.
    async fn just_sent(&self, id: Id<Message>) -> Option<Message> {
        if let Some(message) = self.sent.find(id) {
            return Some(message);
        }
        self.being_written.end_of(id).await;
        self.sent.find(id)
    }

    /// Returns the message that a provider names, if this process has just sent it.
    pub(crate) fn recall(&self, provider: &str, about: &MessageRef) -> Option<Message> {
        self.sent.find_named(provider, about)
    }

    /// Applies an event that `provider` reports on a message, and returns the message afterwards.
    /// `None` stands for the provider that holds it.
    pub(crate) async fn apply(
        &self,
        mut message: Message,
        provider: Option<&str>,
        event: DeliveryEvent,
    ) -> Result<Message, StoreError> {
        for _ in 0..REPORT_TRIES {
            let event = event.clone().sanitized(message.created_at, self.deps.clock.now());
            let delivery = match message.after_report(provider, event) {
                ReportEffect::Moves(delivery) => delivery,
                ReportEffect::Nothing => return Ok(message),
                ReportEffect::ClosesAttempts(failure) => {
                    return self.close_attempts(message, provider, &failure).await;
                }
            };
            if let Some(failure) = delivery.failure() {
                self.apply_recipient_feedback(&message, failure).await;
            }
            let applied = self.applied(message, delivery, provider);
            let (after, is_awaited) = (applied.message.clone(), applied.due_in.is_some());
            match self.record(applied).await? {
                Recorded::Done if is_awaited => {
                    self.sent.remember(after.clone());
                    return Ok(after);
                }
                Recorded::Done => {
                    self.sent.forget(after.id);
                    return Ok(after);
                }
                Recorded::Stale => {
                    self.sent.forget(after.id);
                    let Some(found) = self.deps.jobs.find(after.id).await? else {
                        return Ok(after);
                    };
                    message = found;
                }
            }
        }
        metrics::counter!("atumpan_reports_given_up_total").increment(1);
        tracing::warn!(
            message_id = %message.id, provider, tries = REPORT_TRIES,
            "failed to apply a report: the message moved on each time"
        );
        Ok(message)
    }

    /// Returns the step that a report makes of a message. However old the acceptance by the
    /// provider is, there is time for one more report.
    fn applied(
        &self,
        message: Message,
        delivery: Delivery,
        reporter: Option<&str>,
    ) -> ReportApplied {
        let holder = message.provider.clone().or_else(|| reporter.map(str::to_owned));
        let provider = holder.as_deref().unwrap_or_default();
        let is_awaited = delivery.status() == Status::Sent && self.is_awaited(&delivery, provider);
        let due_in = is_awaited.then(|| {
            let report_timeout = self.deps.providers.report_timeout(provider);
            self.next_follow_up(&delivery, provider).unwrap_or(report_timeout)
        });
        ReportApplied {
            from: message.delivery.status(),
            message: Message { delivery, provider: holder, ..message },
            due_in,
            event: None,
        }
    }

    async fn close_attempts(
        &self,
        message: Message,
        provider: Option<&str>,
        failure: &Failure,
    ) -> Result<Message, StoreError> {
        self.apply_recipient_feedback(&message, failure).await;
        if let (Some(recipients), Some(provider)) = (&self.deps.recipients, provider) {
            let callbacks = &recipients.callbacks;
            callbacks.close_attempts(message.organization, message.id, provider, failure).await?;
        }
        self.sent.forget(message.id);
        Ok(message)
    }
}

/// Applies reports with [`Deliveries::report`].
#[async_trait]
impl ReportSink for Deliveries {
    async fn report(&self, report: Report) {
        if let Err(error) = Self::report(self, report).await {
            tracing::warn!(%error, "failed to apply a report; the provider will be asked");
        }
    }
}
