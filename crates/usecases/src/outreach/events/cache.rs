//! Cached events, so that a trigger reads nothing.

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

use crate::content::templates::TemplateEdits;
use crate::shared::{cache::ReadCache, change_broadcaster::ChangeBroadcaster};

/// Size of text that counts as one cache entry, in bytes.
const UNIT: usize = 4_096;
/// Time for which a change of a template by this instance is remembered: longer than the store
/// takes to report it.
const MEMORY: TimeDelta = TimeDelta::minutes(1);
/// Number of remembered organizations from which on expired ones are removed.
const MANY: usize = 1_000;

/// Texts of events, each read once and cached until it changes. Clones share the cache.
#[derive(Clone)]
pub struct EventCache {
    events: Arc<dyn EventRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<CachedTexts>,
    change_broadcaster: ChangeBroadcaster,
}

struct CachedTexts {
    texts: ReadCache<Key, Arc<TextCache>>,
    /// Time of the last change of a template by this instance, by organization.
    edits: Mutex<HashMap<Id<Organization>, DateTime<Utc>>>,
}

type Key = (Id<Organization>, String);

struct TextCache {
    texts: Arc<EventTexts>,
    read_at: DateTime<Utc>,
}

impl EventCache {
    /// Caches the events in `events`.
    pub fn new(events: Arc<dyn EventRepository>, clock: Arc<dyn Clock>) -> Self {
        let texts = ReadCache::weighing(|known: &Arc<TextCache>| weight(&known.texts));
        let known = Arc::new(CachedTexts { texts, edits: Mutex::default() });
        Self { events, clock, known, change_broadcaster: ChangeBroadcaster::default() }
    }

    /// Broadcasts changes of this instance to others. Without it, they find changes by polling.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// Returns the same cache over another connection.
    #[must_use]
    pub fn through(&self, events: Arc<dyn EventRepository>) -> Self {
        Self { events, ..self.clone() }
    }

    /// Returns the texts of an event, at most a second old; `None` if there is no such event. An
    /// event that is not ready is not cached.
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

    /// Evicts an event that this instance has changed, here and on other instances.
    pub(super) fn forget(&self, organization: Id<Organization>, slug: String) {
        self.known.texts.forget_one(&(organization, slug));
        self.change_broadcaster.broadcast(Change::Events);
    }

    /// Evicts events that other instances have changed, or whose templates they have changed.
    /// Cached events stay valid beyond their first moment only while this is called several times a
    /// second.
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

impl TemplateEdits for EventCache {
    fn note_edit(&self, organization: Id<Organization>) {
        let now = self.clock.now();
        let mut edits = self.edits();
        if edits.len() >= MANY {
            edits.retain(|_, at| now - *at < MEMORY);
        }
        edits.insert(organization, now);
        drop(edits);
        self.change_broadcaster.broadcast(Change::Events);
    }
}
