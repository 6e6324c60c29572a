//! Cache of API keys, which spares requests a query.

use std::{
    collections::HashSet,
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use chrono::{DateTime, Utc};
use domain::{
    identity::{
        api_key::{ApiKey, DEFAULT_SCOPES},
        organization::Organization,
        user::User,
    },
    shared::id::Id,
};
use ports::{identity::api_keys::KeyUse, shared::changes::LoggedChange};

use crate::shared::cache::{ReadCache, ReadStart};

/// Most uses that wait to be written. A use beyond that is recorded at the next use of the key.
const MAX_USES: usize = 50_000;
/// Resolution of the last use of a key, in milliseconds.
const USE_NOTED_EVERY: i64 = 5 * 60 * 1_000;

/// Cached keys, and uses that wait to be written.
pub(super) struct KeyCache {
    pub(super) keys: ReadCache<[u8; 32], Arc<CachedKey>>,
    uses: Mutex<Vec<KeyUse>>,
    default_scopes: Arc<[String]>,
}

/// Fields of a key that requests need.
pub(super) struct CachedKey {
    pub(super) id: Id<ApiKey>,
    pub(super) organization: Id<Organization>,
    pub(super) scopes: Arc<[String]>,
    pub(super) is_sandbox: bool,
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) creator: Option<Id<User>>,
    /// Time of the last recorded use, in milliseconds.
    noted_at: AtomicI64,
}

/// Returns the hash of a key that has changed, which the change gives in hexadecimal digits.
pub(super) fn hash_of(change: &LoggedChange) -> Option<[u8; 32]> {
    let digits = change.key.as_deref()?.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 2 * hash.len() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

impl Default for KeyCache {
    fn default() -> Self {
        Self {
            keys: ReadCache::weighing(|_| 1),
            uses: Mutex::default(),
            default_scopes: DEFAULT_SCOPES.map(str::to_owned).into(),
        }
    }
}

impl KeyCache {
    /// Caches a key that a read found.
    pub(super) fn learn_key(
        &self,
        hash: [u8; 32],
        key: ApiKey,
        start: ReadStart,
    ) -> Arc<CachedKey> {
        // Most keys have the default scopes and share them.
        let has_default_scopes = key.scopes == *self.default_scopes;
        let scopes =
            if has_default_scopes { Arc::clone(&self.default_scopes) } else { key.scopes.into() };
        let noted_at = key.last_used_at.map_or(i64::MIN / 2, |used| used.timestamp_millis());
        let known = Arc::new(CachedKey {
            id: key.id,
            organization: key.organization,
            scopes,
            is_sandbox: key.is_sandbox,
            expires_at: key.expires_at,
            creator: key.created_by,
            noted_at: AtomicI64::new(noted_at),
        });
        self.keys.learn(&hash, Arc::clone(&known), start);
        known
    }

    /// Records a use of a key, at most once per resolution interval.
    pub(super) fn note_use(&self, key: &CachedKey, now: DateTime<Utc>) {
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

    /// Takes the uses to be written, one per key, in the order in which all instances write.
    pub(super) fn take_uses(&self) -> Vec<KeyUse> {
        let mut uses = mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner));
        uses.sort_unstable_by_key(|used| (used.organization, used.key));
        let mut seen = HashSet::with_capacity(uses.len());
        uses.retain(|used| seen.insert(used.key));
        uses
    }
}
