//! Records of deliveries to endpoints.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    shared::{fault::Faults, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};

/// Time for which deliveries are shown and can be repeated.
pub const DELIVERIES_KEPT: TimeDelta = TimeDelta::days(30);

/// The record of a delivery of an event to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Event that is delivered. The delivery has the same identifier.
    pub event: OutboundEvent,
    /// Status of the delivery.
    pub status: DeliveryRecordStatus,
    /// Number of attempts since the delivery began or was last recovered.
    pub attempts: u32,
    /// Time of the last attempt.
    pub attempted_at: Option<DateTime<Utc>>,
    /// HTTP status of the last answer.
    pub status_code: Option<u16>,
    /// Reason for which there was no answer or no further attempt follows.
    pub failure: Option<String>,
    /// Duration of the last call.
    pub took: Option<TimeDelta>,
    /// Time of the next attempt; `None` if none follows.
    pub due_at: Option<DateTime<Utc>>,
}

crate::closed_list! {
    /// Status of a delivery to an endpoint.
    pub enum DeliveryRecordStatus {
        /// An attempt is due or in progress.
        Pending = "PENDING",
        /// The receiver has accepted the event.
        Delivered = "DELIVERED",
        /// No further attempt follows.
        Failed = "FAILED",
    }
    impl FromStr;
}

crate::closed_list! {
    /// Change of the status of a delivery, with its name for people, as in "the delivery was …".
    pub enum DeliveryChange {
        /// The receiver accepted the event.
        Accept = "accepted",
        /// An attempt failed, and another one follows.
        PutOff = "put off after a failed attempt",
        /// The last attempt failed.
        GiveUp = "given up",
        /// The endpoint was deactivated before the event was accepted.
        End = "ended with its endpoint",
        /// Another attempt was asked for.
        Retry = "retried",
        /// All that failed were to be sent again.
        Recover = "recovered",
    }
}

impl DeliveryRecordStatus {
    /// Returns the status after a change; `None` if the change does not apply.
    pub const fn after(self, change: DeliveryChange) -> Option<Self> {
        use DeliveryChange as C;

        match (self, change) {
            (Self::Pending, C::Accept) => Some(Self::Delivered),
            (Self::Pending, C::PutOff) => Some(Self::Pending),
            (Self::Pending, C::GiveUp | C::End) => Some(Self::Failed),
            (_, C::Retry) | (Self::Failed, C::Recover) => Some(Self::Pending),
            _ => None,
        }
    }
}

/// Filter for deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryRecordFilter {
    /// Only deliveries with this status.
    pub status: Option<DeliveryRecordStatus>,
    /// Only deliveries of this event.
    pub event: Option<WebhookEvent>,
    /// Only events of this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Only events before this time.
    pub to: Option<DateTime<Utc>>,
}

impl DeliveryRecordFilter {
    /// Returns the filter without deliveries that are no longer shown at `now`.
    #[must_use]
    pub fn of_kept(self, now: DateTime<Utc>) -> Self {
        let kept_since = now - DELIVERIES_KEPT;
        Self { from: Some(self.from.map_or(kept_since, |from| from.max(kept_since))), ..self }
    }
}

/// Checks the time from which deliveries are recovered.
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
    fn recovery_goes_back_thirty_days_at_most() {
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
