//! Database, and the state that the pools on it share.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Time for which the server counts as refusing connections after it last did. Meanwhile a
/// connection is tried every two seconds, so that a single free place does not end it.
const REFUSAL: Duration = Duration::from_secs(10);

/// Database. Pools that are made with the same target, or a clone of it, share the planned number
/// of connections, and the knowledge that one of them was refused.
#[derive(Debug, Clone)]
pub struct PgTarget {
    url: Arc<str>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    planned: AtomicUsize,
    refused_at: Mutex<Option<Instant>>,
}

impl PgTarget {
    /// Returns the address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the number of connections that its pools may hold altogether.
    pub fn planned(&self) -> usize {
        self.shared.planned.load(Ordering::Relaxed)
    }

    /// True if the server recently had no room for a connection.
    pub(crate) fn is_refused(&self) -> bool {
        let refused_at = *self.shared.refused_at.lock().unwrap_or_else(PoisonError::into_inner);
        refused_at.is_some_and(|at| at.elapsed() < REFUSAL)
    }

    pub(crate) fn note_refusal(&self) {
        let mut refused_at = self.shared.refused_at.lock().unwrap_or_else(PoisonError::into_inner);
        *refused_at = Some(Instant::now());
    }

    pub(crate) fn plan(&self, connections: usize) {
        self.shared.planned.fetch_add(connections, Ordering::Relaxed);
    }
}

impl From<&str> for PgTarget {
    fn from(url: &str) -> Self {
        Self { url: url.into(), shared: Arc::default() }
    }
}

impl From<&String> for PgTarget {
    fn from(url: &String) -> Self {
        url.as_str().into()
    }
}

impl From<&Self> for PgTarget {
    fn from(target: &Self) -> Self {
        target.clone()
    }
}
