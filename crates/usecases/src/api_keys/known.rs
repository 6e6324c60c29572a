//! What an instance knows of keys and of their organizations, so that no request has to ask.

use std::{
    collections::HashSet,
    hash::Hash,
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    api_key::{ApiKey, DEFAULT_SCOPES},
    id::Id,
    organization::{Organization, Settings},
};
use moka::sync::Cache;
use ports::api_keys::KeyUse;

/// How long something is trusted after it was read, or after it was last heard that it has not
/// changed, in milliseconds: a revoked key stops working on every instance within a second.
const TRUST: i64 = 800;
/// How long it may take to hear of changes again before everything is forgotten, in milliseconds.
/// Stores tell the changes of the last minute.
const LONGEST_SILENCE: i64 = 30_000;
/// After how long everything is read anew, whatever was heard.
const LIFETIME: Duration = Duration::from_secs(600);
const MAX_KNOWN: u64 = 200_000;
/// How many uses wait to be written down at the most. What finds no room is noted at the next use.
const MAX_USES: usize = 50_000;
/// How exactly the last use of a key is known, in milliseconds.
const USE_NOTED_EVERY: i64 = 5 * 60 * 1_000;

/// Keys and settings that were read.
pub(super) struct Known {
    keys: Cache<[u8; 32], Arc<KnownKey>>,
    settings: Cache<Id<Organization>, Arc<KnownSettings>>,
    /// When it was asked last what has changed, in milliseconds.
    asked_at: AtomicI64,
    uses: Mutex<Vec<KeyUse>>,
    default_scopes: Arc<[String]>,
}

/// What requests need of a key.
pub(super) struct KnownKey {
    pub(super) id: Id<ApiKey>,
    pub(super) organization: Id<Organization>,
    pub(super) scopes: Arc<[String]>,
    pub(super) is_sandbox: bool,
    pub(super) expires_at: Option<DateTime<Utc>>,
    read_at: i64,
    /// The last use that was noted, in milliseconds.
    noted_at: AtomicI64,
}

struct KnownSettings {
    settings: Settings,
    read_at: i64,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            keys: cache(),
            settings: cache(),
            asked_at: AtomicI64::new(i64::MIN / 2),
            uses: Mutex::default(),
            default_scopes: DEFAULT_SCOPES.map(str::to_owned).into(),
        }
    }
}

fn cache<K, V>() -> Cache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder().max_capacity(MAX_KNOWN).time_to_live(LIFETIME).build()
}

impl Known {
    /// The key with this hash, if it is known and can be trusted.
    pub(super) fn key(&self, hash: &[u8; 32], now: DateTime<Utc>) -> Option<Arc<KnownKey>> {
        self.keys.get(hash).filter(|key| self.is_current(key.read_at, now))
    }

    /// The settings of an organization, if they are known and can be trusted.
    pub(super) fn settings(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Option<Settings> {
        let known = self.settings.get(&organization)?;
        self.is_current(known.read_at, now).then(|| known.settings.clone())
    }

    fn is_current(&self, read_at: i64, now: DateTime<Utc>) -> bool {
        let since = read_at.max(self.asked_at.load(Ordering::Acquire));
        // Who asks may have looked at the clock a moment before.
        (now.timestamp_millis() - since).abs() < TRUST
    }

    /// Keeps a key that was looked for at `now`.
    pub(super) fn learn_key(
        &self,
        hash: [u8; 32],
        key: ApiKey,
        now: DateTime<Utc>,
    ) -> Arc<KnownKey> {
        // Most keys have these, and need no copy each.
        let has_default_scopes = key.scopes == *self.default_scopes;
        let scopes =
            if has_default_scopes { Arc::clone(&self.default_scopes) } else { key.scopes.into() };
        let noted_at = key.last_used_at.map_or(i64::MIN / 2, |used| used.timestamp_millis());
        let known = Arc::new(KnownKey {
            id: key.id,
            organization: key.organization,
            scopes,
            is_sandbox: key.is_sandbox,
            expires_at: key.expires_at,
            read_at: now.timestamp_millis(),
            noted_at: AtomicI64::new(noted_at),
        });
        self.keys.insert(hash, Arc::clone(&known));
        known
    }

    /// Keeps settings that were looked for at `now`.
    pub(super) fn learn_settings(
        &self,
        organization: Id<Organization>,
        settings: Settings,
        now: DateTime<Utc>,
    ) {
        let known = KnownSettings { settings, read_at: now.timestamp_millis() };
        self.settings.insert(organization, Arc::new(known));
    }

    /// Forgets what has changed, as the store told when it was asked at `asked_at`. A look that began
    /// before a change may end after it was told; changes are told for a minute, so it is forgotten
    /// the next time.
    pub(super) fn forget(
        &self,
        revoked: &[[u8; 32]],
        changed: &[Id<Organization>],
        asked_at: DateTime<Utc>,
    ) {
        let asked_at = asked_at.timestamp_millis();
        if asked_at - self.asked_at.load(Ordering::Acquire) > LONGEST_SILENCE {
            self.forget_all();
        }
        for hash in revoked {
            self.keys.invalidate(hash);
        }
        for organization in changed {
            self.settings.invalidate(organization);
        }
        self.asked_at.store(asked_at, Ordering::Release);
    }

    /// Forgets a key.
    pub(super) fn forget_key(&self, hash: &[u8; 32]) {
        self.keys.invalidate(hash);
    }

    fn forget_all(&self) {
        self.keys.invalidate_all();
        self.settings.invalidate_all();
    }

    /// Remembers that a key was used, if that is not known well enough.
    pub(super) fn note_use(&self, key: &KnownKey, now: DateTime<Utc>) {
        let millis = now.timestamp_millis();
        if millis - key.noted_at.load(Ordering::Relaxed) < USE_NOTED_EVERY {
            return;
        }
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if uses.len() < MAX_USES {
            key.noted_at.store(millis, Ordering::Relaxed);
            uses.push(KeyUse { organization: key.organization, key: key.id, at: now });
        }
    }

    /// The uses to be written down, each key once, in the order in which all instances write.
    pub(super) fn take_uses(&self) -> Vec<KeyUse> {
        let mut uses = mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner));
        uses.sort_unstable_by_key(|used| (used.organization, used.key));
        let mut seen = HashSet::with_capacity(uses.len());
        uses.retain(|used| seen.insert(used.key));
        uses
    }
}
