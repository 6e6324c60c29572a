//! Cancellation of messages that wait for their time.

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::nobody::Nobody;

use crate::{Error, messaging::scheduled_messages::ScheduledMessages};

/// Cancels the scheduled messages of organizations. [`ScheduledMessages`] implements it.
#[async_trait]
pub trait MessageCancellation: Send + Sync {
    /// Cancels and refunds some of the messages that wait for their time, at most `limit`. Returns their
    /// number; 0 if none is left.
    async fn cancel_scheduled(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<usize, Error>;
}

/// Cancels nothing, where no message waits for its time.
#[async_trait]
impl MessageCancellation for Nobody {
    async fn cancel_scheduled(&self, _: Id<Organization>, _: usize) -> Result<usize, Error> {
        Ok(0)
    }
}

#[async_trait]
impl MessageCancellation for ScheduledMessages {
    async fn cancel_scheduled(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<usize, Error> {
        Ok(Self::cancel_scheduled(self, organization, limit).await?)
    }
}
