//! What keeps a row from being measured.

use std::error::Error;

/// Why a row could not be measured.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

pub(crate) type Result<T> = std::result::Result<T, Failure>;
