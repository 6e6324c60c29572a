//! The delivery log, for reading.
//!
//! ```
//! use domain::{
//!     identity::organization::Organization,
//!     messaging::{delivery::Status, message::Message},
//!     shared::id::Id,
//! };
//! use ports::{messaging::delivery_logs::DeliveryLogRepository, shared::store::StoreError};
//!
//! async fn status(
//!     log: &dyn DeliveryLogRepository,
//!     shop: Id<Organization>,
//!     id: Id<Message>,
//! ) -> Result<Option<Status>, StoreError> {
//!     let found = log.find(shop, id).await?;
//!     Ok(found.map(|message| message.delivery.status()))
//! }
//! ```

use async_trait::async_trait;
use domain::{
    identity::organization::Organization,
    messaging::{delivery_log::LogFilter, message::Message},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Request that was accepted under an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// SHA-256 of the request's content.
    pub fingerprint: [u8; 32],
    /// Messages of the request in their current state, in their order.
    pub messages: Vec<Message>,
    /// Places in the request that got no message, in ascending order.
    pub gaps: Vec<u16>,
}

/// Part of the log, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPart {
    /// Messages of the part.
    pub messages: Vec<Message>,
    /// Message after which the next part begins; `None` at the end. It need not be one of the part,
    /// which is short or empty if too many messages that do not fit come first.
    pub next: Option<Id<Message>>,
}

/// Reads the delivery log. It is written by [`crate::messaging::messages`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryLogRepository: Send + Sync {
    /// Finds a message.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Message>,
    ) -> Result<Option<Message>, StoreError>;

    /// Finds the request that was accepted under an unexpired idempotency key.
    async fn find_accepted(
        &self,
        organization: Id<Organization>,
        is_sandbox: bool,
        key: &str,
    ) -> Result<Option<Accepted>, StoreError>;

    /// Returns a page of the log, newest first. Each text, masked or not, is cut to its first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters. Vendor templates are
    /// left out. The total is counted up to [`MOST_FOUND`](domain::shared::page::MOST_FOUND), unless
    /// the filter is one whose messages [are counted](LogFilter::is_counted).
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        page: Page,
    ) -> Result<Paged<Message>, StoreError>;

    /// Returns up to `limit` messages older than `before`, newest first, after a look at a limited
    /// number of messages. Their texts are those of [`page`](Self::page).
    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
        before: Option<Id<Message>>,
        limit: usize,
    ) -> Result<LogPart, StoreError>;
}
