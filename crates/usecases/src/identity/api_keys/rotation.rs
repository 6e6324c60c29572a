//! Rotation of API keys, and keys as they see themselves.

use chrono::TimeDelta;
use domain::{
    identity::{
        api_key::{self, ApiKey},
        caller::{Caller, Denied, Identity},
        organization::Organization,
        permission::Permission,
    },
    shared::{fault::Faults, id::Id},
};
use ports::{identity::api_keys::Rotation, shared::signals::Change};

use super::{ApiKeys, authorize_grants};
use crate::{Error, Reason, identity::auth::UNAUTHORIZED, shared::digest};

/// The key was rotated before.
pub const API_KEY_ROTATED: Reason = Reason::new(
    "API_KEY_ROTATED",
    "the key was rotated already: rotate the key that followed it, or revoke it",
);

/// The key that a program calls with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentKey {
    /// The key itself.
    pub key: ApiKey,
    /// Organization that owns the key.
    pub organization: Organization,
}

impl ApiKeys {
    /// Returns the key that the caller calls with. Fails for sessions, and in a closed organization.
    pub async fn current(&self, caller: &Caller) -> Result<CurrentKey, Error> {
        let Identity::ApiKey { key, .. } = caller.identity else { return Err(Denied::Role.into()) };
        if caller.policy.settings.closed_at.is_some() {
            return Err(Denied::Closed.into());
        }
        let key = self.repository.find(caller.organization, key).await?;
        let organization = self.policies.organization(caller.organization).await?;
        // Both were there when the caller was authenticated.
        let gone = || Error::Unauthenticated(UNAUTHORIZED);
        Ok(CurrentKey { key: key.ok_or_else(gone)?, organization: organization.ok_or_else(gone)? })
    }

    /// Creates the successor of a key. Its text is returned only once and is not stored. The key
    /// itself remains valid for `overlap_hours`, or until it expires, if that is earlier. `faults`
    /// holds the faults found so far.
    pub async fn rotate(
        &self,
        caller: &Caller,
        id: Id<ApiKey>,
        overlap_hours: Option<i32>,
        faults: Faults,
    ) -> Result<(ApiKey, String), Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let overlap = faults.check(api_key::overlap(overlap_hours))?;
        let key = self.repository.find(caller.organization, id).await?;
        let key = key.ok_or(Error::NotFound("API key"))?;
        authorize_grants(caller, &key.scopes)?;

        let now = self.clock.now();
        let text = api_key::write(&self.random.secret(), caller.organization, key.is_sandbox);
        let successor = key.successor(&text, caller.user()?, now);
        let ends_at = (overlap > TimeDelta::zero()).then(|| now + overlap);
        let hash = digest::of_secret(text.as_bytes());
        match self.repository.rotate(key.id, ends_at, &successor, hash).await? {
            Rotation::Done(rotated) => {
                // Instances that cached the key read it again before the overlap ends.
                self.known.keys.forget_one(&rotated);
                if ends_at.is_none() {
                    self.change_broadcaster.broadcast(Change::ApiKeys);
                }
                Ok((successor, text))
            }
            Rotation::AlreadyRotated => Err(Error::Conflict(API_KEY_ROTATED)),
            Rotation::NotFound => Err(Error::NotFound("API key")),
        }
    }
}
