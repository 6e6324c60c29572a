//! Messages that wait, and are cancelled or moved before a provider has them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    identity::{caller::Caller, organization::Organization, permission::Permission},
    messaging::{
        delivery::{Delivery, FailureCode},
        message::Message,
    },
    shared::{fault::Faults, id::Id},
};
use futures_util::{StreamExt, stream};
use ports::{
    messaging::{
        delivery_logs::DeliveryLogRepository, scheduled_messages::ScheduledMessageRepository,
    },
    shared::{clock::Clock, store::StoreError},
};

use crate::{
    Error, Reason,
    messaging::{deliveries::Deliveries, delivery_logs::find_visible},
};

/// A provider has the message, or may have it, or its outcome is final.
pub const MESSAGE_NOT_CANCELLABLE: Reason = Reason::new(
    "MESSAGE_NOT_CANCELLABLE",
    "the message is over, or is being handed to a provider, or was handed to one",
);
/// The message does not wait for its time.
pub const MESSAGE_NOT_SCHEDULED: Reason =
    Reason::new("MESSAGE_NOT_SCHEDULED", "the message does not wait for a time any more");

/// Number of messages cancelled at the same time.
const CONCURRENCY: usize = 32;

/// Operations on messages that wait.
#[derive(Clone)]
pub struct ScheduledMessages {
    repository: Arc<dyn ScheduledMessageRepository>,
    delivery_logs: Arc<dyn DeliveryLogRepository>,
    deliveries: Deliveries,
    clock: Arc<dyn Clock>,
}

/// Command that moves a scheduled message to another time.
#[derive(Debug, Clone, Default)]
pub struct MoveMessage {
    /// Time at which it is to go. Required.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// Faults found in the request so far.
    pub faults: Faults,
}

impl ScheduledMessages {
    /// Creates the operations over `repository`. `deliveries` records the end of cancelled messages.
    pub fn new(
        repository: Arc<dyn ScheduledMessageRepository>,
        delivery_logs: Arc<dyn DeliveryLogRepository>,
        deliveries: Deliveries,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, delivery_logs, deliveries, clock }
    }

    /// Cancels a message that no provider was given, and returns it: it has failed and is refunded. A
    /// repetition returns the same.
    pub async fn cancel(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        caller.authorize(Permission::SendMessages)?;
        let message = self.find(caller, id).await?;
        if message.is_without_provider()
            && let Some(cancelled) = self.withdraw(message.organization, id).await?
        {
            return Ok(cancelled.shown(caller.sees_codes()));
        }
        // Another request may have cancelled it meanwhile.
        let message = self.find(caller, id).await?;
        if is_cancelled(&message) {
            return Ok(message.shown(caller.sees_codes()));
        }
        Err(Error::Conflict(MESSAGE_NOT_CANCELLABLE))
    }

    /// Moves a scheduled message to another time.
    pub async fn reschedule(
        &self,
        caller: &Caller,
        id: Id<Message>,
        command: MoveMessage,
    ) -> Result<Message, Error> {
        caller.authorize(Permission::SendMessages)?;
        let at = command.faults.require(command.scheduled_at)?;
        let message = self.find(caller, id).await?;
        if !message.is_scheduled() {
            return Err(Error::Conflict(MESSAGE_NOT_SCHEDULED));
        }
        let moved = message
            .rescheduled(at, self.clock.now())
            .map_err(|fault| Faults::field("scheduledAt", fault))?;
        if !self.repository.reschedule(&moved).await? {
            return Err(Error::Conflict(MESSAGE_NOT_SCHEDULED));
        }
        Ok(moved.shown(caller.sees_codes()))
    }

    /// Cancels some of the scheduled messages of an organization, at most `limit`, and returns their
    /// number. None is left once that is 0.
    pub async fn cancel_scheduled(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let waiting = self.repository.of_organization(organization, limit).await?;
        self.cancel_all(waiting.into_iter().map(|id| (organization, id)).collect()).await
    }

    /// Cancels messages of any organizations that no provider was given, and returns their number.
    pub async fn cancel_all(
        &self,
        messages: Vec<(Id<Organization>, Id<Message>)>,
    ) -> Result<usize, StoreError> {
        let cancelling: Vec<_> = messages
            .into_iter()
            .map(|(organization, id)| self.withdraw(organization, id))
            .collect();
        let mut cancelling = stream::iter(cancelling).buffer_unordered(CONCURRENCY);
        let mut cancelled = 0;
        while let Some(withdrawn) = cancelling.next().await {
            cancelled += usize::from(withdrawn?.is_some());
        }
        Ok(cancelled)
    }

    /// Cancels a message, if no worker has it and no provider may have it.
    async fn withdraw(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError> {
        match self.repository.take(organization, id).await? {
            Some(job) => self.deliveries.withdraw(job).await,
            None => Ok(None),
        }
    }

    async fn find(&self, caller: &Caller, id: Id<Message>) -> Result<Message, Error> {
        find_visible(&*self.delivery_logs, caller, id).await
    }
}

fn is_cancelled(message: &Message) -> bool {
    matches!(
        &message.delivery,
        Delivery::Failed { failure, .. } if failure.code == FailureCode::Cancelled
    )
}
