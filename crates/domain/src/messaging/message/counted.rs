//! Properties by which a message is counted, beside its channel and its status.

use super::Message;
use crate::{
    messaging::delivery::{FailureCode, Status},
    shared::country::Country,
};

impl Message {
    /// Returns the country of the recipient's number; `None` if the recipient has none.
    pub fn counted_country(&self) -> Option<Country> {
        self.draft.channel.takes_phone_numbers().then_some(self.draft.country)
    }

    /// Returns the provider for which the message counts in `status`; `None` as long as no provider
    /// has taken it.
    pub fn counted_provider(&self, status: Status) -> Option<&str> {
        match (status, &self.provider) {
            (Status::Queued | Status::Pending, _) => None,
            (_, Some(provider)) => Some(provider),
            // The report overtook the reply.
            (_, None) => self.attempts.last().map(|attempt| attempt.provider.as_str()),
        }
    }

    /// Returns the reason for which the message counts as failed; `None` in any other `status`.
    pub fn counted_failure(&self, status: Status) -> Option<FailureCode> {
        match status {
            Status::Failed => self.delivery.failure().map(|failure| failure.code),
            Status::Queued | Status::Pending | Status::Sent | Status::Delivered => None,
        }
    }
}
