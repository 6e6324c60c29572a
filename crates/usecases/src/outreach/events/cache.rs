//! What an instance knows of events, so that no trigger has to ask.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    outreach::event::{EventTexts, NotReady},
    shared::id::Id,
};
use ports::{
    outreach::events::EventRepository,
    shared::{
        clock::Clock,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::shared::{cache::ReadCache, change_broadcaster::ChangeBroadcaster};

/// How much text counts as one entry of what is kept, in bytes.
const UNIT: usize = 4_096;
/// For how long it is remembered that this instance changed a template: longer than it takes until the
/// store tells it.
const MEMORY: TimeDelta = TimeDelta::minutes(1);
/// How many organizations may be remembered before those are looked through that need not be.
const MANY: usize = 1_000;

/// What events come to, each read once and trusted until it changes. Clones know the same.
#[derive(Clone)]
pub struct EventCache {
    events: Arc<dyn EventRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<Known>,
    change_broadcaster: ChangeBroadcaster,
}

struct Known {
    texts: ReadCache<Key, Arc<TextCache>>,
    /// When this instance last changed a template of an organization.
    edits: Mutex<HashMap<Id<Organization>, DateTime<Utc>>>,
}

type Key = (Id<Organization>, String);

struct TextCache {
    texts: Arc<EventTexts>,
    read_at: DateTime<Utc>,
}

impl EventCache {
    /// Events as `events` keeps them.
    pub fn new(events: Arc<dyn EventRepository>, clock: Arc<dyn Clock>) -> Self {
        let texts = ReadCache::weighing(|known: &Arc<TextCache>| weight(&known.texts));
        let known = Arc::new(Known { texts, edits: Mutex::default() });
        Self { events, clock, known, change_broadcaster: ChangeBroadcaster::default() }
    }

    /// Tells other instances at once what this one changes. Without that they find it by themselves.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// The same over another connection.
    #[must_use]
    pub fn through(&self, events: Arc<dyn EventRepository>) -> Self {
        Self { events, ..self.clone() }
    }

    /// What an event comes to, as it was within the last second; none if there is no such event. What
    /// is not ready is not kept: it is looked for again.
    pub(super) async fn texts(
        &self,
        organization: Id<Organization>,
        slug: &str,
    ) -> Result<Option<Result<Arc<EventTexts>, NotReady>>, StoreError> {
        let (key, now) = ((organization, slug.to_owned()), self.clock.now());
        if let Some(known) = self.known.texts.get(&key, now)
            && !self.was_edited_since(organization, known.read_at)
        {
            return Ok(Some(Ok(Arc::clone(&known.texts))));
        }
        let Some((event, templates)) = self.events.find_by_slug(organization, slug).await? else {
            return Ok(None);
        };
        let texts = event.texts(&templates).map(Arc::new);
        if let Ok(texts) = &texts {
            let known = Arc::new(TextCache { texts: Arc::clone(texts), read_at: now });
            self.known.texts.learn(key, known, now);
        }
        Ok(Some(texts))
    }

    /// Forgets an event that this instance has changed.
    pub(super) fn forget(&self, organization: Id<Organization>, slug: String) {
        self.known.texts.forget_one(&(organization, slug));
        self.change_broadcaster.broadcast(Change::Events);
    }

    /// Notes that this instance has changed a template of an organization.
    pub(crate) fn note_edit(&self, organization: Id<Organization>) {
        let now = self.clock.now();
        let mut edits = self.edits();
        if edits.len() >= MANY {
            edits.retain(|_, at| now - *at < MEMORY);
        }
        edits.insert(organization, now);
        drop(edits);
        self.change_broadcaster.broadcast(Change::Events);
    }

    /// Forgets events that other instances have changed, or of which they have changed a template. What
    /// is known is trusted for long only as long as this is called several times a second.
    pub async fn forget_changes(&self) -> Result<(), StoreError> {
        let asked_at = self.clock.now();
        let changed = self.events.changed_lately().await?;
        self.known.texts.forget(changed, asked_at);
        Ok(())
    }

    fn was_edited_since(&self, organization: Id<Organization>, read_at: DateTime<Utc>) -> bool {
        self.edits().get(&organization).is_some_and(|edited_at| *edited_at >= read_at)
    }

    fn edits(&self) -> MutexGuard<'_, HashMap<Id<Organization>, DateTime<Utc>>> {
        self.known.edits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(texts: &EventTexts) -> usize {
    let bytes: usize = texts.channels.iter().map(|(_, text)| text.body.len()).sum();
    1 + bytes / UNIT
}
