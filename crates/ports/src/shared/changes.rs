//! Log of the changes of data that instances cache.
//!
//! ```
//! use ports::shared::changes::Changes;
//!
//! assert!(Changes::Known(Vec::new()).are_none() && !Changes::Unknown.are_none());
//! ```

use async_trait::async_trait;
use domain::{identity::organization::Organization, shared::id::Id};

use crate::shared::{signals::Change, store::StoreError};

/// Reads the log into which the store writes each change of cached data.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ChangeLog: Send + Sync {
    /// Returns the changes that have become visible since the read that returned `since`. None is left out,
    /// however late its transaction commits. Without an earlier read, or if the log does not reach back to
    /// it, anything may have changed.
    async fn read(&self, since: Option<LogPosition>) -> Result<LogRead, StoreError>;
}

/// Position in the log, in the notation of the store that returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition(pub String);

/// Result of a read of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRead {
    /// Position from which the next read goes on.
    pub position: LogPosition,
    /// Changes that were read.
    pub changes: Changes,
}

/// Changes of cached data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Anything may have changed.
    Unknown,
    /// These have changed, and nothing else.
    Known(Vec<LoggedChange>),
}

/// Change of cached data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedChange {
    /// Kind of the data.
    pub kind: Change,
    /// Organization that owns the data; `None` if it belongs to none.
    pub organization: Option<Id<Organization>>,
    /// Key of the data within its kind; `None` if its kind has no keys, or all data of the organization is
    /// meant.
    pub key: Option<String>,
}

impl Changes {
    /// True if nothing has changed.
    pub fn are_none(&self) -> bool {
        matches!(self, Self::Known(changes) if changes.is_empty())
    }

    /// Returns the changes of a kind.
    #[must_use]
    pub fn of(&self, kind: Change) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Known(changes) => {
                Self::Known(changes.iter().filter(|change| change.kind == kind).cloned().collect())
            }
        }
    }

    /// Returns the key of each change; `None` if anything may have changed, or if a change has no such key.
    pub fn keys<K>(&self, key: impl Fn(&LoggedChange) -> Option<K>) -> Option<Vec<K>> {
        match self {
            Self::Unknown => None,
            Self::Known(changes) => changes.iter().map(key).collect(),
        }
    }
}
