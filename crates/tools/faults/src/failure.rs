//! Errors that prevent the measurement of a row.

use std::error::Error;

/// Reason why a row could not be measured.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

pub(crate) type Result<T> = std::result::Result<T, Failure>;
