//! Time.
//!
//! ```
//! use chrono::{DateTime, Utc};
//! use ports::shared::clock::Clock;
//!
//! /// Clock that stands still.
//! struct Still(DateTime<Utc>);
//!
//! impl Clock for Still {
//!     fn now(&self) -> DateTime<Utc> {
//!         self.0
//!     }
//! }
//!
//! assert_eq!(Still(DateTime::UNIX_EPOCH).now(), DateTime::UNIX_EPOCH);
//! ```

use chrono::{DateTime, Utc};

/// Source of the current time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time in milliseconds, the precision of the wire and the database.
    fn now(&self) -> DateTime<Utc>;
}
