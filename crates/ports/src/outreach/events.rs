//! Events and their triggers.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{outreach::events::EventRepository, shared::store::StoreError};
//!
//! async fn is_known(
//!     events: &dyn EventRepository,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     Ok(events.find_by_slug(shop, "order-shipped").await?.is_some())
//! }
//! ```

use async_trait::async_trait;
use domain::messaging::message::TriggerId;
use domain::{
    content::template::TemplateText,
    identity::organization::Organization,
    outreach::{
        event::{Event, EventFilter, LinkedEvent},
        trigger::Trigger,
    },
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Stores events.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventRepository: Send + Sync {
    /// Returns a page of those of the organization's events that pass `filter`, newest first. Each template
    /// text is cut to its first [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ)
    /// characters.
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &EventFilter,
        page: Page,
    ) -> Result<Paged<LinkedEvent>, StoreError>;

    /// Finds an event.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<Option<LinkedEvent>, StoreError>;

    /// Finds an event by its slug, with the texts of its templates.
    async fn find_by_slug(
        &self,
        organization: Id<Organization>,
        slug: &str,
    ) -> Result<Option<(Event, Vec<TemplateText>)>, StoreError>;

    /// Adds an event.
    async fn insert(&self, event: &Event) -> Result<EventWritten, StoreError>;

    /// Updates an event, if its stored version is the one before `event.version`.
    async fn update(&self, event: &Event) -> Result<EventWritten, StoreError>;

    /// Deletes an event, and returns its slug; `None` if there is no such event.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<Option<String>, StoreError>;
}

/// Result of writing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventWritten {
    /// Written.
    Done,
    /// Another event of the organization has the slug.
    SlugTaken,
    /// The organization has the maximum number of events.
    NoRoom,
    /// The event was deleted or changed by another caller, or one of its templates was deleted.
    Stale,
}

/// Stores triggers that may go on to another channel. They are created when messages are accepted
/// ([`Advance::Trigger`](crate::messaging::messages::Advance::Trigger)), and the outcome of their messages
/// advances them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TriggerRepository: Send + Sync {
    /// Finds a trigger.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: TriggerId,
    ) -> Result<Option<Trigger>, StoreError>;

    /// Takes triggers whose next channel is to be tried, longest waiting first, except those of `busy`
    /// organizations. No other caller takes them for half a minute.
    async fn take_due(
        &self,
        limit: usize,
        busy: &[Id<Organization>],
    ) -> Result<Vec<Trigger>, StoreError>;

    /// Ends a trigger, if it is still as it was read: no other channel is tried.
    async fn end(&self, trigger: &Trigger) -> Result<(), StoreError>;
}
