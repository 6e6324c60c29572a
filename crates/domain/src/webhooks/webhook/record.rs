//! What is recorded of deliveries to endpoints.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    shared::fault::Faults,
    webhooks::outbound_event::{OutboundEvent, WebhookEvent},
};

/// For how long deliveries are shown, and can be repeated.
pub const DELIVERIES_KEPT: TimeDelta = TimeDelta::days(30);

/// A delivery of an event to an endpoint, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// What is told. The delivery has its identifier.
    pub told: OutboundEvent,
    /// How far it has come.
    pub status: DeliveryRecordStatus,
    /// How often it was tried, since it was recovered if it was.
    pub attempts: u32,
    /// When it was last tried.
    pub attempted_at: Option<DateTime<Utc>>,
    /// With which status the receiver answered then.
    pub status_code: Option<u16>,
    /// Why there was no answer, or why nothing more is tried.
    pub failure: Option<String>,
    /// How long the last call took.
    pub took: Option<TimeDelta>,
    /// When it is tried next; none if it is over.
    pub due_at: Option<DateTime<Utc>>,
}

/// How far a delivery to an endpoint has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryRecordStatus {
    /// It is tried, or tried again.
    Pending,
    /// The receiver has it.
    Delivered,
    /// It is not tried any more.
    Failed,
}

impl DeliveryRecordStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Delivered => "DELIVERED",
            Self::Failed => "FAILED",
        }
    }
}

/// The text names no status of deliveries to endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of PENDING, DELIVERED, FAILED")]
pub struct UnknownDeliveryStatus;

impl FromStr for DeliveryRecordStatus {
    type Err = UnknownDeliveryStatus;

    fn from_str(text: &str) -> Result<Self, UnknownDeliveryStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownDeliveryStatus)
    }
}

/// Which deliveries to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryRecordFilter {
    /// Only those in this state.
    pub status: Option<DeliveryRecordStatus>,
    /// Only those of this event.
    pub event: Option<WebhookEvent>,
    /// Only those of what happened at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Only those of what happened before this time.
    pub to: Option<DateTime<Utc>>,
}

impl DeliveryRecordFilter {
    /// The same, without what is no longer shown at `now`.
    #[must_use]
    pub fn of_kept(self, now: DateTime<Utc>) -> Self {
        let kept_since = now - DELIVERIES_KEPT;
        Self { from: Some(self.from.map_or(kept_since, |from| from.max(kept_since))), ..self }
    }
}

/// Checks the time since which deliveries are recovered.
pub fn recover_since(
    since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, Faults> {
    match since {
        None => Err(Faults::field("since", "is required")),
        Some(since) if since < now - DELIVERIES_KEPT => {
            Err(Faults::field("since", "must be at most 30 days ago"))
        }
        Some(since) if since > now => Err(Faults::field("since", "must not be in the future")),
        Some(since) => Ok(since),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recovered_is_at_most_thirty_days_old() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(100);
        let ago = |seconds| Some(now - TimeDelta::seconds(seconds));
        let thirty_days = DELIVERIES_KEPT.num_seconds();
        for (since, is_right) in [
            (None, false),
            (ago(-1), false),
            (ago(0), true),
            (ago(thirty_days), true),
            (ago(thirty_days + 1), false),
        ] {
            assert_eq!(recover_since(since, now).is_ok(), is_right, "{since:?}");
        }
    }

    #[test]
    fn nothing_older_than_thirty_days_is_shown() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(100);
        let oldest = now - DELIVERIES_KEPT;
        let from = |from| DeliveryRecordFilter { from, ..Default::default() }.of_kept(now).from;
        assert_eq!(from(None), Some(oldest));
        assert_eq!(from(Some(oldest - TimeDelta::seconds(1))), Some(oldest));
        assert_eq!(from(Some(now)), Some(now));
    }
}
