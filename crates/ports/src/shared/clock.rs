//! Time.

use chrono::{DateTime, Utc};

/// Source of the current time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time in milliseconds, the precision of the wire and the database.
    fn now(&self) -> DateTime<Utc>;
}
