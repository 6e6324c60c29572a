//! Records that belong to the timelines of messages.
//!
//! ```
//! use domain::messaging::message::Message;
//! use ports::{messaging::timelines::TimelineRepository, shared::store::StoreError};
//!
//! async fn published(
//!     timelines: &dyn TimelineRepository,
//!     message: &Message,
//! ) -> Result<usize, StoreError> {
//!     Ok(timelines.event_deliveries(message).await?.len())
//! }
//! ```

use async_trait::async_trait;
use domain::messaging::{
    message::Message,
    timeline::{ChainLink, EventDelivery},
};

use crate::shared::store::StoreError;

/// Messages before and after one in the chain of its trigger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Message before it; `None` if it is the first.
    pub previous: Option<ChainLink>,
    /// Message after it; `None` if it is the last.
    pub next: Option<ChainLink>,
}

/// Reads what is kept about a message beside the delivery log.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TimelineRepository: Send + Sync {
    /// Returns the neighbours of a message in the chain of its trigger. It has none if it belongs to no
    /// trigger, or if the trigger is no longer kept.
    async fn neighbours(&self, message: &Message) -> Result<Neighbours, StoreError>;

    /// Returns the deliveries of a message's events to webhooks that still exist, oldest event first. Looks
    /// at a limited number of events after each change of its state, so those of an organization with very
    /// many may be missing.
    async fn event_deliveries(&self, message: &Message) -> Result<Vec<EventDelivery>, StoreError>;
}
