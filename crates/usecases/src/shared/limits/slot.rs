//! Slot for the rate limits that one request counted against.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::shared::rate::{Level, Rate};

use super::Limit;

/// Limit that is counted with a token bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// Texts by a language model for one organization.
    Content,
    /// Requests without credentials from one address.
    Guests,
    /// Live messages of one organization.
    LiveMessages,
    /// Registrations from one address.
    Registrations,
    /// Requests that send no message, of one organization or user.
    Requests,
    /// Sandbox messages of one organization.
    SandboxMessages,
}

impl Quota {
    /// Returns the limit of the quota.
    pub const fn limit(self) -> Limit {
        match self {
            Self::Content => Limit::Content,
            Self::Guests => Limit::Guests,
            Self::LiveMessages => Limit::LiveMessages,
            Self::Registrations => Limit::Registrations,
            Self::Requests => Limit::Requests,
            Self::SandboxMessages => Limit::SandboxMessages,
        }
    }
}

/// State of a bucket after a request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// Quota of the bucket.
    pub quota: Quota,
    /// Size and refill rate of the bucket.
    pub rate: Rate,
    /// Fill level of the bucket.
    pub level: Level,
    /// Time to wait; `None` if the request was not refused.
    pub wait: Option<Duration>,
}

/// Slot that records the buckets one request took from, for its response. Clones share the record. The
/// default records nothing.
#[derive(Debug, Clone, Default)]
pub struct RateLimitSlot(Option<Arc<Mutex<Vec<RateLimitStatus>>>>);

impl RateLimitSlot {
    /// Creates a slot that records.
    pub fn begin() -> Self {
        Self(Some(Arc::default()))
    }

    /// Returns the last state of each recorded bucket.
    pub fn statuses(&self) -> Vec<RateLimitStatus> {
        let Some(statuses) = &self.0 else { return Vec::new() };
        statuses.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, status: RateLimitStatus) {
        let Some(statuses) = &self.0 else { return };
        let mut statuses = statuses.lock().unwrap_or_else(PoisonError::into_inner);
        match statuses.iter_mut().find(|noted| noted.quota == status.quota) {
            Some(noted) => *noted = status,
            None => statuses.push(status),
        }
    }
}
