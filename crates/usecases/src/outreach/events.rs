//! Events: what organizations notify of, and what is done when it happens.

mod cache;
mod chain;
mod refusals;
mod trigger;

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    content::template::{Template, TemplateChannel},
    identity::{caller::Caller, organization::Organization, permission::Permission},
    outreach::event::{Event, EventRequest, EventUpdate, LinkedEvent},
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

/// How often a change is tried that others were faster than.
const ATTEMPTS: usize = 3;

/// Operations on events.
#[derive(Clone)]
pub struct Events {
    repository: Arc<dyn EventRepository>,
    triggers: Arc<dyn TriggerRepository>,
    templates: Arc<dyn TemplateRepository>,
    contacts: Arc<dyn ContactRepository>,
    delivery_logs: Arc<dyn DeliveryLogRepository>,
    messages: Messages,
    known: EventCache,
    clock: Arc<dyn Clock>,
}

/// What [`Events`] works with.
pub struct EventsDeps {
    /// Where events are kept.
    pub events: Arc<dyn EventRepository>,
    /// Where triggers are kept that have several channels.
    pub triggers: Arc<dyn TriggerRepository>,
    /// Where templates are read.
    pub templates: Arc<dyn TemplateRepository>,
    /// Where contacts are read.
    pub contacts: Arc<dyn ContactRepository>,
    /// Where messages are read.
    pub delivery_logs: Arc<dyn DeliveryLogRepository>,
    /// What sends.
    pub messages: Messages,
    /// What this instance knows of events.
    pub known: EventCache,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

impl Events {
    /// Events with these deps.
    pub fn new(deps: EventsDeps) -> Self {
        Self {
            repository: deps.events,
            triggers: deps.triggers,
            templates: deps.templates,
            contacts: deps.contacts,
            delivery_logs: deps.delivery_logs,
            messages: deps.messages,
            known: deps.known,
            clock: deps.clock,
        }
    }

    /// A page of the organization's events, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<LinkedEvent>, Error> {
        caller.authorize(Permission::ReadEvents)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }

    /// One event.
    pub async fn get(&self, caller: &Caller, id: Id<Event>) -> Result<LinkedEvent, Error> {
        caller.authorize(Permission::ReadEvents)?;
        self.find(caller.organization, id).await
    }

    /// Makes an event. `faults` is what is already known to be wrong.
    pub async fn create(
        &self,
        caller: &Caller,
        request: EventRequest,
        faults: Faults,
    ) -> Result<LinkedEvent, Error> {
        caller.authorize(Permission::WriteEvents)?;
        let known = self.channels(caller.organization, &request.template_ids()).await?;
        let event = request.event(caller.organization, &known, self.clock.now());
        let event = faults.check(event)?;
        match self.repository.insert(&event).await? {
            EventWritten::Done | EventWritten::Stale => {
                self.find(event.organization, event.id).await
            }
            EventWritten::SlugTaken => Err(slug_exists(&event.slug)),
            EventWritten::NoRoom => Err(event_limit_reached()),
        }
    }

    /// Changes an event. `faults` is what is already known to be wrong.
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
            match self.repository.update(&event).await? {
                EventWritten::Done => {
                    self.known.forget(event.organization, old_slug);
                    return self.find(event.organization, id).await;
                }
                EventWritten::SlugTaken => return Err(slug_exists(&event.slug)),
                EventWritten::NoRoom | EventWritten::Stale => {}
            }
        }
        Err(Error::Conflict(EVENT_CHANGED))
    }

    /// Deletes an event. What it has set off already goes on.
    pub async fn delete(&self, caller: &Caller, id: Id<Event>) -> Result<(), Error> {
        caller.authorize(Permission::WriteEvents)?;
        let slug = self.repository.delete(caller.organization, id).await?;
        let slug = slug.ok_or(Error::NotFound("event"))?;
        self.known.forget(caller.organization, slug);
        Ok(())
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<LinkedEvent, Error> {
        let found = self.repository.find(organization, id).await?;
        found.ok_or(Error::NotFound("event"))
    }

    /// The channels of those of the templates that exist.
    async fn channels(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<(Id<Template>, TemplateChannel)>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.templates.find_all(organization, ids).await?;
        Ok(found.into_iter().map(|template| (template.id, template.channel)).collect())
    }
}

#[cfg(test)]
mod tests;
