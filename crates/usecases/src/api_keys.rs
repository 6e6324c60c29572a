//! API keys.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{
    api_key::{self, ApiKey, ApiKeyRequest, DEFAULT_SCOPES},
    caller::{Caller, Identity},
    fault::Faults,
    id::Id,
    organization::Settings,
    permission::Permission,
};
use moka::sync::Cache;
use ports::{api_keys::ApiKeyRepository, clock::Clock, random::Random};

use crate::{Error, Reason, auth::UNAUTHORIZED, digest};

/// How long a key that was found is trusted without looking again: a revoked one stops working on
/// every instance within a second.
const TRUST: Duration = Duration::from_millis(800);
const MAX_TRUSTED: u64 = 100_000;
/// How exactly the last use of a key is known.
const USE_NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// An API key was to be made without a name.
pub const NAME_REQUIRED: Reason = Reason::new("NAME_REQUIRED", "a name is required");

/// Operations on API keys.
#[derive(Clone)]
pub struct ApiKeys {
    repository: Arc<dyn ApiKeyRepository>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    trusted: Cache<[u8; 32], Arc<(ApiKey, Settings)>>,
}

impl ApiKeys {
    /// API keys as `repository` keeps them.
    pub fn new(
        repository: Arc<dyn ApiKeyRepository>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let trusted = Cache::builder().max_capacity(MAX_TRUSTED).time_to_live(TRUST).build();
        Self { repository, clock, random, trusted }
    }

    /// Makes a key. Its text is returned this once and kept nowhere.
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

        let text = api_key::write(&self.random.secret(), request.is_sandbox);
        let scopes = match request.scopes {
            scopes if scopes.is_empty() => DEFAULT_SCOPES.map(str::to_owned).to_vec(),
            scopes => scopes,
        };
        let key = ApiKey {
            id: Id::new(now),
            organization: caller.organization,
            name: request.name.trim().to_owned(),
            prefix: api_key::prefix(&text),
            scopes,
            is_sandbox: request.is_sandbox,
            expires_at: request.expires_at,
            last_used_at: None,
            created_at: now,
        };
        self.repository.insert(&key, digest::of_secret(text.as_bytes())).await?;
        Ok((key, text))
    }

    /// The organization's keys, newest first.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<ApiKey>, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        Ok(self.repository.list(caller.organization).await?)
    }

    /// Revokes a key. This instance refuses it at once, all others within a second.
    pub async fn revoke(&self, caller: &Caller, id: Id<ApiKey>) -> Result<(), Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let revoked = self.repository.revoke(caller.organization, id, self.clock.now()).await?;
        self.trusted.invalidate_all();
        if revoked { Ok(()) } else { Err(Error::NotFound("API key")) }
    }

    /// Who calls with the key `text`.
    pub async fn authenticate(&self, text: &str) -> Result<Caller, Error> {
        let hash = digest::of_secret(text.as_bytes());
        let trusted = match self.trusted.get(&hash) {
            Some(trusted) => trusted,
            None => self.find(hash).await?,
        };
        let (key, settings) = &*trusted;
        if !key.is_valid(self.clock.now()) {
            return Err(Error::Unauthenticated(UNAUTHORIZED));
        }
        Ok(Caller {
            organization: key.organization,
            identity: Identity::ApiKey {
                key: key.id,
                scopes: key.scopes.clone(),
                is_sandbox: key.is_sandbox,
            },
            settings: settings.clone(),
        })
    }

    async fn find(&self, hash: [u8; 32]) -> Result<Arc<(ApiKey, Settings)>, Error> {
        let found = self.repository.find_by_hash(hash).await?;
        let (key, settings) = found.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        let now = self.clock.now();
        if key.last_used_at.is_none_or(|used| now - used >= USE_NOTED_EVERY) {
            self.repository.touch(key.organization, key.id, now).await?;
        }
        let trusted = Arc::new((key, settings));
        self.trusted.insert(hash, Arc::clone(&trusted));
        Ok(trusted)
    }
}

#[cfg(test)]
mod tests;
