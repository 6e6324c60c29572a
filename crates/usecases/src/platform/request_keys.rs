//! Requests that make something once, however often they are repeated.

use std::sync::Arc;

use chrono::TimeDelta;
use derive_more::Constructor;
use domain::shared::{fault::Faults, id::Id};
use ports::{
    platform::request_keys::{
        KeptAnswer, KeyClaim, KeyOwner, KeyState, RequestKey, RequestKeyRepository,
    },
    shared::{clock::Clock, sealer::Sealer},
};

use crate::{
    Error, Reason,
    messaging::messages::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, checked_key},
};

/// The first answer to a repeated request was too large to keep.
pub const ANSWER_NOT_KEPT: Reason = Reason::new(
    "ANSWER_NOT_KEPT",
    "the first request with this idempotency key succeeded, but its answer was too large to repeat",
);

/// Time for which a key is kept.
const KEPT_FOR: TimeDelta = TimeDelta::hours(24);
/// Time after which a request without an answer counts as broken off: no handler takes that long.
const LEASE: TimeDelta = TimeDelta::minutes(2);
/// The same for a request whose body is read while it is worked on: clients have ten minutes for that.
const LONG_LEASE: TimeDelta = TimeDelta::minutes(15);
/// Maximum size of a kept answer, in bytes.
const MAX_KEPT: usize = 256 * 1_024;

/// Operations on idempotency keys of requests.
#[derive(Clone, Constructor)]
pub struct RequestKeys {
    repository: Arc<dyn RequestKeyRepository>,
    /// Seals answers, which may hold secrets.
    sealer: Arc<dyn Sealer>,
    clock: Arc<dyn Clock>,
}

/// Request with an idempotency key.
#[derive(Debug)]
pub struct KeyedRequest {
    /// Owner among whose keys it is unique.
    pub owner: KeyOwner,
    /// The key, unchecked.
    pub key: Option<String>,
    /// Hash of the request; `None` if its body is read while it is worked on.
    pub fingerprint: Option<[u8; 32]>,
    /// Faults of the key found so far.
    pub faults: Faults,
}

/// Beginning of a request with an idempotency key.
#[derive(Debug)]
pub enum Begun {
    /// It is the first with its key: it is to be worked on, and then finished.
    First(FirstRequest),
    /// It is a repetition.
    Repeated(RepeatedRequest),
}

/// First request with its key.
#[derive(Debug)]
pub struct FirstRequest {
    key: RequestKey,
    claim: Id<KeyClaim>,
}

/// Request whose key has an answer.
#[derive(Debug)]
pub struct RepeatedRequest {
    key: RequestKey,
    fingerprint: [u8; 32],
    answer: KeptAnswer,
}

/// Answer of a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstAnswer {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
}

impl RequestKeys {
    /// Begins a request. Fails if the first request with its key is in progress, or was another.
    pub async fn begin(&self, request: KeyedRequest) -> Result<Begun, Error> {
        let KeyedRequest { owner, key, fingerprint, mut faults } = request;
        let key = key.and_then(|key| faults.take("idempotencyKey", checked_key(key)));
        let key = RequestKey { owner, text: faults.require(key)? };
        let now = self.clock.now();
        let lease = if fingerprint.is_some() { LEASE } else { LONG_LEASE };
        let claim = KeyClaim {
            id: Id::new(now),
            fingerprint,
            leased_until: now + lease,
            expires_at: now + KEPT_FOR,
        };
        match self.repository.claim(&key, &claim, now).await? {
            KeyState::Claimed => Ok(Begun::First(FirstRequest { key, claim: claim.id })),
            KeyState::InProgress { fingerprint: first } => match (first, fingerprint) {
                (Some(first), Some(fingerprint)) if first != fingerprint => {
                    Err(Error::Contradiction(IDEMPOTENCY_KEY_REUSED))
                }
                _ => Err(Error::InProgress(IDEMPOTENCY_IN_PROGRESS)),
            },
            KeyState::Answered { fingerprint, answer } => {
                Ok(Begun::Repeated(RepeatedRequest { key, fingerprint, answer }))
            }
        }
    }

    /// Returns the first answer to a repeated request with that hash.
    pub fn answer_again(
        &self,
        request: &RepeatedRequest,
        fingerprint: [u8; 32],
    ) -> Result<FirstAnswer, Error> {
        if request.fingerprint != fingerprint {
            return Err(Error::Contradiction(IDEMPOTENCY_KEY_REUSED));
        }
        let sealed = request.answer.sealed_body.as_ref();
        let sealed = sealed.ok_or(Error::Conflict(ANSWER_NOT_KEPT))?;
        let body = self.sealer.open(sealed, &seal_owner(&request.key))?;
        Ok(FirstAnswer { status: request.answer.status, body })
    }

    /// Keeps the answer of a first request with that hash. A failure is logged: the request was worked
    /// on, and its caller has the answer.
    pub async fn finish(
        &self,
        request: &FirstRequest,
        fingerprint: [u8; 32],
        answer: &FirstAnswer,
    ) {
        if let Err(error) = self.keep(request, fingerprint, answer).await {
            tracing::warn!(%error, "failed to keep the answer of an idempotency key");
        }
    }

    async fn keep(
        &self,
        request: &FirstRequest,
        fingerprint: [u8; 32],
        answer: &FirstAnswer,
    ) -> Result<(), Error> {
        let sealed_body = if answer.body.len() <= MAX_KEPT {
            Some(self.sealer.seal(&answer.body, &seal_owner(&request.key))?)
        } else {
            None
        };
        let kept = KeptAnswer { status: answer.status, sealed_body };
        Ok(self.repository.keep(&request.key, request.claim, fingerprint, &kept).await?)
    }

    /// Frees the key of a first request that made nothing. A failure is logged: the lease ends by
    /// itself.
    pub async fn release(&self, request: &FirstRequest) {
        if let Err(error) = self.repository.release(&request.key, request.claim).await {
            tracing::warn!(%error, "failed to free an idempotency key");
        }
    }
}

/// Returns the owner for which an answer is sealed.
fn seal_owner(key: &RequestKey) -> Vec<u8> {
    let owner = match key.owner {
        KeyOwner::Organization { id, is_sandbox } => {
            format!("answer of organization {id} {is_sandbox} ")
        }
        KeyOwner::User(user) => format!("answer of user {user} "),
    };
    (owner + &key.text).into_bytes()
}

#[cfg(test)]
mod tests;
