//! Time.

use chrono::{DateTime, Utc};

/// Tells the time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current time, to the millisecond, as the wire and the database know it.
    fn now(&self) -> DateTime<Utc>;
}
