//! Error of every port to the store.
//!
//! ```
//! use ports::shared::store::StoreError;
//!
//! let error = StoreError::Unavailable("no route to host".into());
//! assert_eq!(error.to_string(), "the store is unavailable: no route to host");
//! ```

use std::{error::Error as StdError, fmt, iter};

use thiserror::Error;

/// Error of the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An object with the same unique key exists.
    #[error("`{constraint}` is already taken")]
    Conflict {
        /// Name of the violated uniqueness constraint.
        constraint: String,
    },
    /// The store is unreachable or overloaded; a retry may succeed.
    #[error("the store is unavailable: {}", Causes(&**.0))]
    Unavailable(Box<dyn StdError + Send + Sync>),
    /// Any other error: a bug, or data that cannot be read.
    #[error("the store failed: {}", Causes(&**.0))]
    Internal(Box<dyn StdError + Send + Sync>),
}

/// Error with all its causes, so that a log of the store's error includes the reason.
struct Causes<'e>(&'e (dyn StdError + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = String::new();
        for cause in iter::successors(Some(self.0), |error| (**error).source()) {
            let text = cause.to_string();
            // Some errors show their causes themselves.
            if shown.ends_with(&text) {
                continue;
            }
            if !shown.is_empty() {
                shown.push_str(": ");
            }
            shown.push_str(&text);
        }
        f.write_str(&shown)
    }
}
