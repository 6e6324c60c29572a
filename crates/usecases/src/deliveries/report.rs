//! What providers report of messages.

use async_trait::async_trait;
use domain::{job::Step, message::Message, provider::Report};
use ports::{messages::Recorded, providers::ReportSink, store::StoreError};

use super::Deliveries;

/// How often a report is decided anew when the message moves on meanwhile.
const REPORT_TRIES: usize = 3;

impl Deliveries {
    /// Takes a provider's report in. One that is late, repeated or of an unknown message changes
    /// nothing, and is no error.
    pub async fn report(&self, report: Report) -> Result<(), StoreError> {
        let mut remembered = self.recent.take(report.message);
        for _ in 0..REPORT_TRIES {
            let message = match remembered.take() {
                Some(message) => Some(message),
                None => self.jobs.find(report.message).await?,
            };
            let Some(message) = message else {
                tracing::info!(message_id = %report.message, "a report of an unknown message");
                return Ok(());
            };
            let Ok(delivery) = message.delivery.after_report(report.event.clone()) else {
                return Ok(());
            };
            if let Some(failure) = delivery.failure() {
                self.heed(&message, failure).await;
            }
            let provider = message.provider.as_deref().unwrap_or_default();
            let due_in = self.next_follow_up(&delivery, provider);
            let step = Step {
                from: message.delivery.status(),
                message: Message { delivery, ..message },
                lease: None,
                rounds: 0,
                keeps_lease: false,
                can_be_answered: false,
                due_in,
            };
            if self.record(step).await? == Recorded::Done {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Takes reports in by [`Deliveries::report`].
#[async_trait]
impl ReportSink for Deliveries {
    async fn report(&self, report: Report) {
        if let Err(error) = Self::report(self, report).await {
            tracing::warn!(%error, "a report could not be written; the provider will be asked");
        }
    }
}
