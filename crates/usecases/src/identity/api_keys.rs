//! API keys.

mod cache;
mod calls;
mod opening;
mod rotation;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        api_key::{self, ApiKey, ApiKeyRequest, DEFAULT_SCOPES},
        caller::{Caller, Identity},
        permission::Permission,
        scope::Scope,
    },
    shared::{fault::Faults, id::Id, trace::TraceHead},
};
use ports::{
    identity::api_keys::ApiKeyRepository,
    shared::{
        changes::Changes,
        clock::Clock,
        random::Random,
        signals::{Change, ChangeBroadcast},
        store::StoreError,
    },
};

use self::{
    cache::{CachedKey, KeyCache, hash_of},
    calls::CallCounter,
};
pub use self::{
    opening::{KEY_REQUIRED, LIVE_KEY_REQUIRED, open},
    rotation::{API_KEY_ROTATED, CurrentKey},
};
use crate::{
    Error, Reason,
    identity::{auth::UNAUTHORIZED, policies::Policies},
    shared::{change_follower::FollowedCache, digest},
};

/// A new API key has no name.
pub const NAME_REQUIRED: Reason =
    Reason::missing_field("name", "NAME_REQUIRED", "a name is required");

/// Operations on API keys.
#[derive(Clone)]
pub struct ApiKeys {
    repository: Arc<dyn ApiKeyRepository>,
    policies: Policies,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    known: Arc<KeyCache>,
    calls: Arc<CallCounter>,
    change_broadcaster: Arc<dyn ChangeBroadcast>,
}

impl ApiKeys {
    /// Creates the operations over `repository`, with the policies of the keys' organizations. Revocations
    /// are broadcast to other instances.
    pub fn new(
        repository: Arc<dyn ApiKeyRepository>,
        policies: Policies,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        change_broadcaster: Arc<dyn ChangeBroadcast>,
    ) -> Self {
        let (known, calls) = Default::default();
        Self { repository, policies, clock, random, known, calls, change_broadcaster }
    }

    /// Creates a key. Its text is returned only once and is not stored.
    pub async fn create(
        &self,
        caller: &Caller,
        request: ApiKeyRequest,
        mut found: Faults,
    ) -> Result<(ApiKey, String), Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        if request.name.trim().is_empty() && !found.fields.contains_key("name") {
            return Err(Error::BadRequest(NAME_REQUIRED));
        }
        let now = self.clock.now();
        found.merge("", request.faults(now));
        let request = found.or(request)?;
        authorize_grants(caller, &request.scopes)?;

        let text = api_key::write(&self.random.secret(), caller.organization, request.is_sandbox);
        let scopes = match request.scopes {
            scopes if scopes.is_empty() => DEFAULT_SCOPES.map(str::to_owned).to_vec(),
            scopes => scopes,
        };
        let key = ApiKey {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            name: request.name.trim().to_owned(),
            prefix: api_key::prefix(&text),
            scopes,
            is_sandbox: request.is_sandbox,
            expires_at: request.expires_at,
            last_used_at: None,
            created_at: now,
            created_by: Some(caller.user()?),
        };
        self.repository.insert(&key, digest::of_secret(text.as_bytes())).await?;
        Ok((key, text))
    }

    /// Returns the organization's keys, newest first.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<ApiKey>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        Ok(self.repository.list(caller.organization).await?)
    }

    /// Revokes a key. This instance refuses it at once, all others within a second.
    pub async fn revoke(&self, caller: &Caller, id: Id<ApiKey>) -> Result<(), Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let revoked = self.repository.revoke(caller.organization, id).await?;
        let hash = revoked.ok_or(Error::NotFound("API key"))?;
        self.known.keys.forget_one(&hash);
        self.change_broadcaster.broadcast(Change::ApiKeys);
        Ok(())
    }

    /// Returns the caller that the key `text` authenticates.
    pub async fn authenticate(&self, text: &str) -> Result<Caller, Error> {
        let hash = digest::of_secret(text.as_bytes());
        let now = self.clock.now();
        let key = match self.known.keys.get(&hash, now) {
            Some(key) => key,
            None => self.find(hash, now).await?,
        };
        if api_key::has_expired(key.expires_at, now) {
            return Err(Error::Unauthenticated(UNAUTHORIZED));
        }
        let policy = self.policies.get(key.organization).await?;
        let policy = policy.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        self.known.note_use(&key, now);
        Ok(Caller {
            organization: key.organization,
            identity: Identity::ApiKey {
                key: key.id,
                scopes: Arc::clone(&key.scopes),
                is_sandbox: key.is_sandbox,
                creator: key.creator,
                opened_by: None,
            },
            policy,
            trace: TraceHead::default(),
        })
    }

    async fn find(&self, hash: [u8; 32], now: DateTime<Utc>) -> Result<Arc<CachedKey>, Error> {
        let start = self.known.keys.begin(now);
        let found = self.repository.find_by_hash(hash).await?;
        let key = found.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        Ok(self.known.learn_key(hash, key, start))
    }

    /// Writes the last uses of keys to the store.
    pub async fn write_uses(&self) -> Result<(), Error> {
        let uses = self.known.take_uses();
        if !uses.is_empty() {
            self.repository.note_uses(&uses).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl FollowedCache for ApiKeys {
    fn kind(&self) -> Change {
        Change::ApiKeys
    }

    async fn apply(&self, changes: &Changes, read_at: DateTime<Utc>) -> Result<(), StoreError> {
        self.known.keys.forget(changes.keys(hash_of), read_at);
        Ok(())
    }
}

/// Fails unless the caller may give all these scopes to a key.
fn authorize_grants(caller: &Caller, scopes: &[String]) -> Result<(), Error> {
    for scope in scopes.iter().filter_map(|scope| scope.parse::<Scope>().ok()) {
        caller.authorize_grant(scope)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
