//! Refused calls: recorded in memory, written in batches, and read by the people who integrate the
//! API.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{
    identity::{
        actor::RequestId, api_key::ApiKey, caller::Caller, organization::Organization,
        permission::Permission, user::User,
    },
    platform::refused_call::{self, KEPT, RefusedCall, RefusedCallFilter},
    shared::id::Id,
};
use ports::{platform::refused_calls::RefusedCallRepository, shared::clock::Clock};

use crate::Error;

/// Maximum number of calls that wait to be written. Further ones are dropped.
const MAX_WAITING: usize = 10_000;
/// Maximum number of calls written at a time.
const WRITTEN_AT_ONCE: usize = 1_000;

/// Operations on refused calls. Clones share the calls that wait to be written.
#[derive(Clone)]
pub struct RefusedCalls {
    repository: Arc<dyn RefusedCallRepository>,
    clock: Arc<dyn Clock>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Calls that wait to be written, and the calls of the present hour.
#[derive(Default)]
struct Waiting {
    calls: VecDeque<RefusedCall>,
    /// Number of calls that were dropped since the last write.
    dropped: u64,
    /// Present hour, counted from 1970.
    hour: i64,
    /// Number of calls of each organization in the present hour.
    numbers: HashMap<Id<Organization>, u64>,
}

/// Call to record.
#[derive(Debug, Clone)]
pub struct Refusal<'r> {
    /// Organization in which the caller acted.
    pub organization: Id<Organization>,
    /// Identifier of the request.
    pub request: RequestId,
    /// Method of the request.
    pub method: &'r str,
    /// Path of the request, without its query.
    pub path: &'r str,
    /// Status of the answer.
    pub status: u16,
    /// Stable name of the error.
    pub code: &'r str,
    /// Message of the error.
    pub message: &'r str,
    /// API key with which the call was made; `None` for sessions.
    pub key: Option<Id<ApiKey>>,
    /// User who made the call; `None` for API keys.
    pub user: Option<Id<User>>,
    /// Network address of the client.
    pub address: IpAddr,
}

/// Part of the refused calls of an organization, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedCallPart {
    /// Calls of the part.
    pub calls: Vec<RefusedCall>,
    /// Last of these calls, after which the next part begins; `None` at the end.
    pub next: Option<Id<RefusedCall>>,
}

impl RefusedCalls {
    /// Creates the operations over `repository`.
    pub fn new(repository: Arc<dyn RefusedCallRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, clock, waiting: Arc::default() }
    }

    /// Records a call in memory. Of very many calls of an organization in an hour, this instance
    /// keeps a sample.
    pub fn note(&self, refusal: &Refusal<'_>) {
        let now = self.clock.now();
        let organization = refusal.organization;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = waiting.count(organization, now.timestamp().div_euclid(3_600));
        let sampling = refused_call::sampling(number);
        if !number.is_multiple_of(sampling) {
            return;
        }
        if waiting.calls.len() >= MAX_WAITING {
            waiting.dropped += 1;
            return;
        }
        waiting.calls.push_back(RefusedCall {
            id: Id::new_in(now, organization),
            organization,
            request: refusal.request.clone(),
            method: refusal.method.to_owned(),
            path: refused_call::kept_text(refusal.path),
            status: refusal.status,
            code: refusal.code.to_owned(),
            message: refused_call::kept_text(refusal.message),
            key: refusal.key,
            user: refusal.user,
            address: refusal.address.to_string(),
            is_sampled: sampling > 1,
            at: now,
        });
    }

    /// Writes the recorded calls to the store. Those that cannot be written wait for the next time.
    /// Returns the number of calls that were dropped because too many waited.
    pub async fn write(&self) -> Result<u64, Error> {
        loop {
            let (calls, dropped) = self.take();
            if calls.is_empty() {
                return Ok(dropped);
            }
            if let Err(error) = self.repository.add(&calls).await {
                self.put_back(calls, dropped);
                return Err(error.into());
            }
            if dropped > 0 {
                return Ok(dropped);
            }
        }
    }

    /// Returns up to `limit` calls of the last seven days, newest first, after the call `after`.
    pub async fn list(
        &self,
        caller: &Caller,
        filter: &RefusedCallFilter,
        after: Option<Id<RefusedCall>>,
        limit: u32,
    ) -> Result<RefusedCallPart, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let since = self.clock.now() - KEPT;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let organization = caller.organization;
        let found =
            self.repository.older(organization, filter, since, after, limit.saturating_add(1));
        let mut calls = found.await?;
        let has_more = calls.len() > limit;
        calls.truncate(limit);
        let next = calls.last().filter(|_| has_more).map(|call| call.id);
        Ok(RefusedCallPart { calls, next })
    }

    fn take(&self) -> (Vec<RefusedCall>, u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let part = waiting.calls.len().min(WRITTEN_AT_ONCE);
        let calls = waiting.calls.drain(..part).collect();
        (calls, std::mem::take(&mut waiting.dropped))
    }

    fn put_back(&self, calls: Vec<RefusedCall>, dropped: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.dropped += dropped;
        for call in calls.into_iter().rev() {
            waiting.calls.push_front(call);
        }
    }
}

impl Waiting {
    /// Counts a call of an organization, and returns its number in that hour, from 1.
    fn count(&mut self, organization: Id<Organization>, hour: i64) -> u64 {
        if self.hour != hour {
            self.hour = hour;
            self.numbers.clear();
        }
        let number = self.numbers.entry(organization).or_default();
        *number += 1;
        *number
    }
}

#[cfg(test)]
mod tests;
