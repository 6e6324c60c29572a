//! Search in the delivery log.

use crate::{messaging::delivery::Status, shared::channel::Channel};

/// Filter for messages of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogFilter {
    /// Status of the messages; `None` for any.
    pub status: Option<Status>,
    /// Channel of the messages; `None` for any.
    pub channel: Option<Channel>,
}

/// Maximum number of lines in an export.
pub const MAX_EXPORT: usize = 10_000;
