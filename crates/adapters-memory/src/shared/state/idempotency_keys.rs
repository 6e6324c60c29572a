//! Idempotency keys.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{identity::organization::Organization, messaging::message::Message, shared::id::Id};
use ports::messaging::messages::Idempotency;

/// Lifetime of a key.
const LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Used keys by organization, mode (true for the sandbox) and text.
#[derive(Default)]
pub(crate) struct IdempotencyKeys(BTreeMap<(Id<Organization>, bool, String), UsedKey>);

/// Request that was accepted under a key.
pub(crate) struct UsedKey {
    pub(crate) fingerprint: [u8; 32],
    pub(crate) messages: Vec<Id<Message>>,
    pub(crate) gaps: Vec<u16>,
    expires_at: DateTime<Utc>,
}

impl IdempotencyKeys {
    /// Returns the request that was accepted under a key that is unexpired at `now`.
    pub(crate) fn find(
        &self,
        organization: Id<Organization>,
        (is_sandbox, key): (bool, &str),
        now: DateTime<Utc>,
    ) -> Option<&UsedKey> {
        let used = self.0.get(&(organization, is_sandbox, key.to_owned()))?;
        (used.expires_at > now).then_some(used)
    }

    /// Records the request that was accepted under a key.
    pub(crate) fn note(
        &mut self,
        organization: Id<Organization>,
        idempotency: &Idempotency,
        messages: Vec<Id<Message>>,
        now: DateTime<Utc>,
    ) {
        let name = (organization, idempotency.is_sandbox, idempotency.key.clone());
        let (fingerprint, gaps) = (idempotency.fingerprint, idempotency.gaps.clone());
        self.0.insert(name, UsedKey { fingerprint, messages, gaps, expires_at: now + LIFETIME });
    }
}
