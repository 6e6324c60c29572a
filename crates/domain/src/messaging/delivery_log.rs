//! Looking through the delivery log.

use crate::{messaging::delivery::Status, shared::channel::Channel};

/// Which messages to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogFilter {
    /// Only those in this state.
    pub status: Option<Status>,
    /// Only those of this channel.
    pub channel: Option<Channel>,
}

/// The most lines in an export.
pub const MAX_EXPORT: usize = 10_000;
