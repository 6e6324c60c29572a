//! What one request was counted against.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::shared::rate::{Level, Rate};

use super::Limit;

/// A limit that is counted with a bucket of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// Texts that a language model writes for one organization.
    Content,
    /// Requests without credentials, from one address.
    Guests,
    /// Live messages of one organization.
    LiveMessages,
    /// Registrations from one address.
    Registrations,
    /// Requests that send no message, of one organization or user.
    Requests,
    /// Messages of the sandbox of one organization.
    SandboxMessages,
}

impl Quota {
    /// The limit that it is.
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

/// How a bucket stands after a request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What was counted.
    pub quota: Quota,
    /// The size of the bucket, and how fast it fills.
    pub rate: Rate,
    /// How full it is.
    pub level: Level,
    /// How long to wait, if the request was refused.
    pub wait: Option<Duration>,
}

/// Notes how the buckets stand that one request took from, for the answer to that request. Clones note
/// together. The default notes nothing.
#[derive(Debug, Clone, Default)]
pub struct RateLimitSlot(Option<Arc<Mutex<Vec<Standing>>>>);

impl RateLimitSlot {
    /// Begins to note.
    pub fn begin() -> Self {
        Self(Some(Arc::default()))
    }

    /// The buckets as they stood last, each once.
    pub fn standings(&self) -> Vec<Standing> {
        let Some(standings) = &self.0 else { return Vec::new() };
        standings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, standing: Standing) {
        let Some(standings) = &self.0 else { return };
        let mut standings = standings.lock().unwrap_or_else(PoisonError::into_inner);
        match standings.iter_mut().find(|noted| noted.quota == standing.quota) {
            Some(noted) => *noted = standing,
            None => standings.push(standing),
        }
    }
}
