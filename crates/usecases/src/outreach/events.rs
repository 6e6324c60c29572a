//! Events that organizations trigger, and the messages that they cause.

mod cache;
mod chain;
mod refusals;
mod trigger;

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    content::template::{Template, TemplateChannel},
    identity::{caller::Caller, organization::Organization, permission::Permission},
    outreach::event::{Event, EventFilter, EventRequest, EventUpdate, LinkedEvent},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::contacts::ContactRepository,
    content::templates::TemplateRepository,
    messaging::delivery_logs::DeliveryLogRepository,
    outreach::events::{EventRepository, EventWritten, TriggerRepository},
    shared::clock::Clock,
};

pub use self::{
    cache::EventCache,
    chain::TriggerWork,
    refusals::{
        CONTACT_NOT_FOUND, EVENT_CHANGED, event_inactive, event_limit_reached, event_not_found,
        slug_exists,
    },
    trigger::{TriggerEvent, Triggered, TriggeredChannel},
};
use crate::{Error, messaging::messages::Messages};

/// Number of tries of a change that concurrent changes overtake.
const ATTEMPTS: usize = 3;

/// Operations on events.
#[derive(Clone)]
pub struct Events {
    deps: Arc<EventsDeps>,
}

/// Dependencies of [`Events`].
pub struct EventsDeps {
    /// Store of events.
    pub events: Arc<dyn EventRepository>,
    /// Store of triggers with several channels.
    pub triggers: Arc<dyn TriggerRepository>,
    /// Store of templates.
    pub templates: Arc<dyn TemplateRepository>,
    /// Store of contacts.
    pub contacts: Arc<dyn ContactRepository>,
    /// Source of accepted messages.
    pub delivery_logs: Arc<dyn DeliveryLogRepository>,
    /// Operations on messages, for sending.
    pub messages: Messages,
    /// Cached events of this instance.
    pub known: EventCache,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl Events {
    /// Creates the operations from their dependencies.
    pub fn new(deps: EventsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Returns a page of those of the organization's events that pass `filter`, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        filter: EventFilter,
        page: Page,
    ) -> Result<Paged<LinkedEvent>, Error> {
        caller.authorize(Permission::ReadEvents)?;
        let filter = filter.checked()?;
        Ok(self.deps.events.page(caller.organization, &filter, page).await?)
    }

    /// Returns an event.
    pub async fn get(&self, caller: &Caller, id: Id<Event>) -> Result<LinkedEvent, Error> {
        caller.authorize(Permission::ReadEvents)?;
        self.find(caller.organization, id).await
    }

    /// Creates an event. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: EventRequest,
        faults: Faults,
    ) -> Result<LinkedEvent, Error> {
        caller.authorize(Permission::WriteEvents)?;
        for _ in 0..ATTEMPTS {
            let known = self.channels(caller.organization, &request.template_ids()).await?;
            let event = request.clone().event(caller.organization, &known, self.deps.clock.now());
            let event = faults.clone().check(event)?;
            event.sender_faults(&caller.policy).or(())?;
            match self.deps.events.insert(&event).await? {
                EventWritten::Done => return self.find(event.organization, event.id).await,
                EventWritten::SlugTaken => return Err(slug_exists(&event.slug)),
                EventWritten::NoRoom => return Err(event_limit_reached()),
                // A template was deleted meanwhile.
                EventWritten::Stale => {}
            }
        }
        Err(Error::Conflict(EVENT_CHANGED))
    }

    /// Changes an event. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<Event>,
        update: EventUpdate,
        faults: Faults,
    ) -> Result<LinkedEvent, Error> {
        caller.authorize(Permission::WriteEvents)?;
        for _ in 0..ATTEMPTS {
            let present = self.find(caller.organization, id).await?.event;
            let mut ids: BTreeSet<_> = present.template_ids().into_iter().collect();
            ids.extend(update.template_ids());
            let ids: Vec<_> = ids.into_iter().collect();
            let known = self.channels(caller.organization, &ids).await?;
            let old_slug = present.slug.clone();
            let event = faults.clone().check(update.clone().apply(present, &known))?;
            if update.chooses_sender() {
                event.sender_faults(&caller.policy).or(())?;
            }
            match self.deps.events.update(&event).await? {
                EventWritten::Done => {
                    self.deps.known.forget(event.organization, old_slug);
                    return self.find(event.organization, id).await;
                }
                EventWritten::SlugTaken => return Err(slug_exists(&event.slug)),
                EventWritten::NoRoom | EventWritten::Stale => {}
            }
        }
        Err(Error::Conflict(EVENT_CHANGED))
    }

    /// Deletes an event. Its running triggers continue.
    pub async fn delete(&self, caller: &Caller, id: Id<Event>) -> Result<(), Error> {
        caller.authorize(Permission::WriteEvents)?;
        let slug = self.deps.events.delete(caller.organization, id).await?;
        let slug = slug.ok_or(Error::NotFound("event"))?;
        self.deps.known.forget(caller.organization, slug);
        Ok(())
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<LinkedEvent, Error> {
        let found = self.deps.events.find(organization, id).await?;
        found.ok_or(Error::NotFound("event"))
    }

    /// Returns the channels of the templates that exist.
    async fn channels(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<(Id<Template>, TemplateChannel)>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.deps.templates.find_all(organization, ids).await?;
        Ok(found.into_iter().map(|template| (template.id, template.channel)).collect())
    }
}

#[cfg(test)]
mod tests;
