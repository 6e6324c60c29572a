//! Events and failures as they are recorded from vendors.

use chrono::{DateTime, Utc};

use super::{DeliveryEvent, Failure};
use crate::shared::vendor_text::clean;

impl Failure {
    /// Returns the same failure with its texts cleaned.
    #[must_use]
    pub fn cleaned(self) -> Self {
        Self {
            code: self.code,
            message: clean(self.message),
            vendor_code: self.vendor_code.map(clean),
        }
    }
}

impl DeliveryEvent {
    /// Returns this event as it is recorded from a vendor at `now`, for a message accepted at
    /// `accepted_at`: its time is limited to that range, and its texts are cleaned.
    #[must_use]
    pub fn sanitized(self, accepted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let held = |at: DateTime<Utc>| at.min(now).max(accepted_at);
        match self {
            Self::Accepted { at } => Self::Accepted { at: held(at) },
            Self::Confirmed { at } => Self::Confirmed { at: held(at) },
            Self::Rejected { at, failure } => {
                Self::Rejected { at: held(at), failure: failure.cleaned() }
            }
            Self::Doubted { failure } => Self::Doubted { failure: failure.cleaned() },
            Self::Deferred { failure } => Self::Deferred { failure: failure.cleaned() },
            Self::Unreported { failure } => Self::Unreported { failure: failure.cleaned() },
            Self::Dispatched => Self::Dispatched,
        }
    }
}
