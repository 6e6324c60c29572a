//! What providers report of messages.

use async_trait::async_trait;
use domain::{
    callback::About,
    delivery::{Delivery, DeliveryEvent, Failure, Status},
    job::Step,
    lane::Line,
    message::Message,
    provider::Report,
    report::ReportEffect,
};
use ports::{messages::Recorded, providers::ReportSink, store::StoreError};

use super::Deliveries;

/// How often a report is decided anew when the message moves on meanwhile.
const REPORT_TRIES: usize = 3;

impl Deliveries {
    /// Takes a provider's report in. One that is late, repeated or of an unknown message changes
    /// nothing, and is no error.
    pub async fn report(&self, report: Report) -> Result<(), StoreError> {
        let message = match self.recent.find(report.message) {
            Some(message) => Some(message),
            None => self.jobs.find(report.message).await?,
        };
        let Some(message) = message else {
            tracing::info!(message_id = %report.message, "a report names an unknown message");
            return Ok(());
        };
        self.apply(message, report.provider.as_deref(), report.event).await?;
        Ok(())
    }

    /// The message that a provider names, if it was sent a moment ago by this process.
    pub(crate) fn recall(&self, provider: &str, about: &About) -> Option<Message> {
        self.recent.find_named(provider, about)
    }

    /// Takes in what `provider` reports of a message, and returns the message as it stands
    /// afterwards. `None` is whoever holds it.
    pub(crate) async fn apply(
        &self,
        mut message: Message,
        provider: Option<&str>,
        event: DeliveryEvent,
    ) -> Result<Message, StoreError> {
        for _ in 0..REPORT_TRIES {
            let event = event.clone().sanitized(message.created_at, self.clock.now());
            let delivery = match message.after_report(provider, event) {
                ReportEffect::Moves(delivery) => delivery,
                ReportEffect::Nothing => return Ok(message),
                ReportEffect::ClosesAttempts(failure) => {
                    return self.close_attempts(message, provider, &failure).await;
                }
            };
            if let Some(failure) = delivery.failure() {
                self.heed(&message, failure).await;
            }
            let step = self.reported(message, delivery, provider);
            let (after, is_awaited) = (step.message.clone(), step.due_in.is_some());
            match self.record(step).await? {
                Recorded::Done if is_awaited => {
                    self.recent.remember(after.clone());
                    return Ok(after);
                }
                Recorded::Done => {
                    self.recent.forget(after.id);
                    return Ok(after);
                }
                Recorded::Stale => {
                    self.recent.forget(after.id);
                    let Some(found) = self.jobs.find(after.id).await? else { return Ok(after) };
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

    /// The step that a report makes of a message. However long ago the provider says that it took
    /// the message, there is time for one more word of it.
    fn reported(&self, message: Message, delivery: Delivery, reporter: Option<&str>) -> Step {
        let holder = message.provider.clone().or_else(|| reporter.map(str::to_owned));
        let name = holder.as_deref().unwrap_or_default();
        let is_awaited =
            delivery.status() == Status::Sent && self.is_awaited(&delivery, Some(name));
        let due_in = is_awaited.then(|| {
            let patience = self.providers.patience(name);
            self.next_follow_up(&delivery, name).unwrap_or(patience)
        });
        Step {
            from: message.delivery.status(),
            message: Message { delivery, provider: holder, ..message },
            lease: None,
            rounds: 0,
            line: Line::FREE,
            keeps_lease: false,
            can_be_answered: false,
            due_in,
        }
    }

    async fn close_attempts(
        &self,
        message: Message,
        provider: Option<&str>,
        failure: &Failure,
    ) -> Result<Message, StoreError> {
        self.heed(&message, failure).await;
        if let (Some(recipients), Some(provider)) = (&self.recipients, provider) {
            recipients.callbacks.close_attempts(message.id, provider, failure).await?;
        }
        self.recent.forget(message.id);
        Ok(message)
    }
}

/// Takes reports in by [`Deliveries::report`].
#[async_trait]
impl ReportSink for Deliveries {
    async fn report(&self, report: Report) {
        if let Err(error) = Self::report(self, report).await {
            tracing::warn!(%error, "failed to write a report; the provider will be asked");
        }
    }
}
