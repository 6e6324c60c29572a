//! The delivery log, for reading.

use async_trait::async_trait;
use domain::{
    delivery_log::{LogFilter, Page, Paged},
    id::Id,
    message::Message,
    organization::Organization,
};

use crate::store::StoreError;

/// Reads the delivery log. It is written by [`crate::messages`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryLogRepository: Send {
    /// Finds a message.
    async fn find(
        &mut self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError>;

    /// A page of the log, newest first.
    async fn page(
        &mut self,
        organization: Id<Organization>,
        filter: LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, StoreError>;

    /// Up to `limit` messages older than `before`, newest first.
    async fn older(
        &mut self,
        organization: Id<Organization>,
        filter: LogFilter,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError>;
}
