//! What every port to the store has in common: how it fails.

use std::{error::Error as StdError, fmt, iter};

use thiserror::Error;

/// Why the store could not do as told.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Something like it is already kept.
    #[error("`{constraint}` is already taken")]
    Conflict {
        /// The name of the uniqueness rule that was hit.
        constraint: String,
    },
    /// The store cannot be reached or is overloaded; trying again may help.
    #[error("the store is unavailable: {}", Causes(&**.0))]
    Unavailable(Box<dyn StdError + Send + Sync>),
    /// Anything else: a bug, or data we cannot read back.
    #[error("the store failed: {}", Causes(&**.0))]
    Internal(Box<dyn StdError + Send + Sync>),
}

/// An error with all that caused it, so that whoever shows the error of the store shows the reason.
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
