//! What a vendor is, apart from how it is called.

use std::{fmt, hash};

use chrono::TimeDelta;
use domain::shared::channel::Channel;

/// A vendor, by its name in the providers file.
#[derive(Clone, Copy)]
pub struct Kind(pub(crate) &'static Vendor);

/// What a vendor's file says of the vendor.
pub(crate) struct Vendor {
    /// Its name in the providers file.
    pub(crate) name: &'static str,
    /// The channels it can carry; a declaration chooses one.
    pub(crate) channels: &'static [Channel],
    pub(crate) required_credentials: &'static [&'static str],
    pub(crate) optional_credentials: &'static [&'static str],
    pub(crate) options: &'static [&'static str],
    /// Seconds to wait for a report before the vendor is asked, unless declared otherwise.
    pub(crate) report_timeout: u32,
    pub(crate) callbacks: Callbacks,
    /// How many messages of the same text and sender it takes in one call.
    pub(crate) group_limit: usize,
    /// Whether a call can name each recipient only once, because the answer names nothing else.
    pub(crate) distinct_recipients: bool,
    /// Whether recipients can answer, and the vendor passes their texts on.
    pub(crate) can_be_answered: bool,
    /// How long after a recipient's last text the vendor takes free texts; `None` is any time.
    pub(crate) session_window: Option<TimeDelta>,
}

/// Whether a vendor calls us, and how it proves that it is the vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callbacks {
    None,
    /// By a signature.
    Signed,
    /// By the token in the address, which is derived from this credential.
    Token(&'static str),
}

impl Vendor {
    /// What a vendor's file need not say if it is so.
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
    /// The name in the providers file.
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
