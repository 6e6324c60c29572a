//! Cached events, so that a trigger reads nothing.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    outreach::event::{EventTexts, NotReady},
    shared::id::Id,
};
use ports::{
    outreach::events::EventRepository,
    shared::{
        changes::{Changes, LoggedChange},
        clock::Clock,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use crate::content::templates::TemplateEdits;
use crate::shared::{cache::ReadCache, change_follower::FollowedCache};

/// Size of text that counts as one cache entry, in bytes.
const UNIT: usize = 4_096;
/// Time for which a change of a template is remembered: longer than an event that was read before it is
/// cached.
const MEMORY: TimeDelta = TimeDelta::minutes(11);
/// Number of remembered organizations from which on expired ones are removed.
const MANY: usize = 1_000;

/// Texts of events, each read once and cached until it changes. Clones share the cache.
#[derive(Clone)]
pub struct EventCache {
    events: Arc<dyn EventRepository>,
    clock: Arc<dyn Clock>,
    known: Arc<CachedTexts>,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
}

struct CachedTexts {
    texts: ReadCache<Key, Arc<TextCache>>,
    /// Time at which this instance last learned of a change of a template, by organization.
    edits: Mutex<HashMap<Id<Organization>, DateTime<Utc>>>,
}

type Key = (Id<Organization>, String);

struct TextCache {
    texts: Arc<EventTexts>,
    read_at: DateTime<Utc>,
}

impl EventCache {
    /// Caches the events in `events`. Changes of this instance are broadcast to others.
    pub fn new(
        events: Arc<dyn EventRepository>,
        clock: Arc<dyn Clock>,
        change_broadcaster: Arc<dyn ChangeBroadcast>,
    ) -> Self {
        let texts = ReadCache::weighing(|known: &Arc<TextCache>| weight(&known.texts));
        let known = Arc::new(CachedTexts { texts, edits: Mutex::default() });
        Self { events, clock, known, change_broadcaster }
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
        let start = self.known.texts.begin(now);
        let Some((event, templates)) = self.events.find_by_slug(organization, slug).await? else {
            return Ok(None);
        };
        let texts = event.texts(&templates).map(Arc::new);
        if let Ok(texts) = &texts {
            let known = Arc::new(TextCache { texts: Arc::clone(texts), read_at: now });
            self.known.texts.learn(&key, known, start);
        }
        Ok(Some(texts))
    }

    /// Evicts an event that this instance has changed, here and on other instances.
    pub(super) fn forget(&self, organization: Id<Organization>, slug: String) {
        self.known.texts.forget_one(&(organization, slug));
        self.change_broadcaster.broadcast(Change::Events);
    }

    /// Makes all events of an organization that were read until now outdated.
    fn note(&self, organization: Id<Organization>) {
        let now = self.clock.now();
        let mut edits = self.edits();
        if edits.len() >= MANY {
            edits.retain(|_, at| now - *at < MEMORY);
        }
        edits.insert(organization, now);
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
        self.note(organization);
        self.change_broadcaster.broadcast(Change::Events);
    }
}

#[async_trait]
impl FollowedCache for EventCache {
    fn kind(&self) -> Change {
        Change::Events
    }

    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        let changed = match changes {
            Changes::Unknown => None,
            Changes::Known(changes) => {
                let edited = changes.iter().filter(|change| change.key.is_none());
                edited.filter_map(|change| change.organization).for_each(|id| self.note(id));
                Some(changes.iter().filter_map(event_of).collect())
            }
        };
        self.known.texts.forget(changed, read_at);
        Ok(())
    }
}

/// Returns the event that a change is about; `None` if it is about a template.
fn event_of(change: &LoggedChange) -> Option<Key> {
    Some((change.organization?, change.key.clone()?))
}
