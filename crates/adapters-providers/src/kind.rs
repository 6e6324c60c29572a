//! Properties of a vendor, apart from its protocol.

use std::{fmt, hash};

use chrono::TimeDelta;
use domain::shared::channel::Channel;

/// Vendor, by its name in the providers file.
#[derive(Clone, Copy)]
pub struct Kind(pub(crate) &'static Vendor);

/// Properties of a vendor that its module declares.
pub(crate) struct Vendor {
    /// Name in the providers file.
    pub(crate) name: &'static str,
    /// Channels that the vendor can carry; a declaration chooses one.
    pub(crate) channels: &'static [Channel],
    pub(crate) required_credentials: &'static [&'static str],
    pub(crate) optional_credentials: &'static [&'static str],
    pub(crate) options: &'static [&'static str],
    /// Seconds to wait for a report before the vendor is queried, unless declared otherwise.
    pub(crate) report_timeout: u32,
    pub(crate) callbacks: Callbacks,
    /// Maximum number of messages with the same text and sender in one call.
    pub(crate) group_limit: usize,
    /// True if a call may contain each recipient only once, because the response identifies
    /// messages by recipient.
    pub(crate) distinct_recipients: bool,
    /// True if recipients can reply, and the vendor forwards their replies.
    pub(crate) can_be_answered: bool,
    /// Time after a recipient's last message in which the vendor accepts free texts; `None` is no
    /// limit.
    pub(crate) session_window: Option<TimeDelta>,
}

/// Callbacks of a vendor, and their authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callbacks {
    None,
    /// Signature.
    Signed,
    /// Token in the address, derived from this credential.
    Token(&'static str),
}

impl Vendor {
    /// Default properties of a vendor.
    pub(crate) const DEFAULTS: Self = Self {
        name: "",
        channels: &[],
        required_credentials: &[],
        optional_credentials: &[],
        options: &[],
        report_timeout: 600,
        callbacks: Callbacks::None,
        group_limit: 1,
        distinct_recipients: false,
        can_be_answered: false,
        session_window: None,
    };
}

impl Kind {
    /// Returns the name in the providers file.
    pub const fn as_str(self) -> &'static str {
        self.0.name
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Kind {}

impl hash::Hash for Kind {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
