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
    pub(crate) base_url: BaseUrl,
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

/// Address of a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseUrl {
    /// The vendor has none.
    Unused,
    /// The vendor has this one, unless another is declared.
    Usual(&'static str),
    /// Each account has its own, which must be declared.
    Declared,
}

/// Callbacks of a vendor, and their authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callbacks {
    None,
    /// Signature.
    Signed,
    /// Token in the address, derived from the key of callbacks and the name of the provider.
    Token,
}

impl Vendor {
    /// Default properties of a vendor.
    pub(crate) const DEFAULTS: Self = Self {
        name: "",
        channels: &[],
        base_url: BaseUrl::Unused,
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

    /// Returns the channels that the vendor can carry.
    pub const fn channels(self) -> &'static [Channel] {
        self.0.channels
    }

    /// Returns the credentials that a declaration must have.
    pub const fn required_credentials(self) -> &'static [&'static str] {
        self.0.required_credentials
    }

    /// Returns the credentials that a declaration may have.
    pub const fn optional_credentials(self) -> &'static [&'static str] {
        self.0.optional_credentials
    }

    /// Returns the options that a declaration may have.
    pub const fn options(self) -> &'static [&'static str] {
        self.0.options
    }

    /// Returns the address that is called unless `base_url` declares another.
    pub const fn usual_url(self) -> Option<&'static str> {
        match self.0.base_url {
            BaseUrl::Usual(url) => Some(url),
            BaseUrl::Unused | BaseUrl::Declared => None,
        }
    }

    /// True if a declaration must have a `base_url`.
    pub const fn needs_base_url(self) -> bool {
        matches!(self.0.base_url, BaseUrl::Declared)
    }

    /// Returns the proof of the vendor's callbacks: `none` if it makes no callbacks, `signature`, or
    /// `token` for one in the address.
    pub const fn callbacks(self) -> &'static str {
        match self.0.callbacks {
            Callbacks::None => "none",
            Callbacks::Signed => "signature",
            Callbacks::Token => "token",
        }
    }

    /// Returns the seconds to wait for a report before the vendor is queried, unless
    /// `reconcile_after_s` declares others.
    pub const fn report_timeout(self) -> u32 {
        self.0.report_timeout
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
