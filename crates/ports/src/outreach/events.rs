//! Events, and what becomes of them when they happen.

use async_trait::async_trait;
use domain::{
    content::template::TemplateText,
    identity::organization::Organization,
    outreach::{
        event::{Event, LinkedEvent},
        trigger::Trigger,
    },
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps events.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EventRepository: Send + Sync {
    /// A page of the organization's events, newest first. Of each text of a template it has the first
    /// [`LISTED_TEXT_READ`](domain::shared::listed_text::LISTED_TEXT_READ) characters.
    async fn page(
        &self,
        organization: Id<Organization>,
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

    /// Changes an event that is as it was before `event.version`.
    async fn update(&self, event: &Event) -> Result<EventWritten, StoreError>;

    /// Deletes an event, and returns its slug; none if there is no such event.
    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<Option<String>, StoreError>;

    /// The slugs of the events that changed in the last minute, or of whose organizations a template
    /// did, by the clock of the store.
    async fn changed_lately(&self) -> Result<Vec<(Id<Organization>, String)>, StoreError>;
}

/// What became of an event that was to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventWritten {
    /// It is there.
    Done,
    /// Another event of the organization has the slug.
    SlugTaken,
    /// The organization has as many events as it may have.
    NoRoom,
    /// It is gone, or was changed by somebody else.
    Stale,
}

/// Keeps triggers that may go on to another channel. They are written when messages are accepted
/// ([`Advance::Trigger`](crate::messaging::messages::Advance::Trigger)), and what becomes of the messages moves them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TriggerRepository: Send + Sync {
    /// Finds a trigger.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Trigger>,
    ) -> Result<Option<Trigger>, StoreError>;

    /// Takes triggers whose next channel is to be tried, those first that have waited longest, but none
    /// of `busy` organizations. Nobody else takes them for half a minute.
    async fn take_due(
        &self,
        limit: usize,
        busy: &[Id<Organization>],
    ) -> Result<Vec<Trigger>, StoreError>;

    /// Ends a trigger that is still where it was seen: no other channel is tried.
    async fn end(&self, trigger: &Trigger) -> Result<(), StoreError>;
}
