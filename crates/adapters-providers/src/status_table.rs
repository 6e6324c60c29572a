//! Message statuses of vendors.

use chrono::{DateTime, Utc};
use domain::messaging::{
    delivery::{DeliveryEvent, FailureCode},
    outcome::LookUp,
};

use crate::verdict::failure;

/// Progress of a message, as a vendor reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Sent, not yet delivered.
    Sent,
    /// Delivered to the recipient.
    Delivered,
    /// Given up.
    Failed(FailureCode),
}

impl Progress {
    /// Returns the event, with the vendor's own status.
    pub(crate) fn event(self, at: DateTime<Utc>, vendor_code: &str) -> DeliveryEvent {
        match self {
            Self::Sent => DeliveryEvent::Accepted { at },
            Self::Delivered => DeliveryEvent::Confirmed { at },
            Self::Failed(code) => {
                DeliveryEvent::Rejected { at, failure: failure(code, vendor_code) }
            }
        }
    }

    /// Returns the result of a lookup.
    pub(crate) fn lookup(self, at: DateTime<Utc>, vendor_code: &str) -> LookUp {
        match self {
            Self::Sent => LookUp::Waiting,
            _ => LookUp::Found(self.event(at, vendor_code)),
        }
    }
}

/// Meanings of a vendor's message statuses: the common ones, and the vendor's own. The table has
/// them in lower case with underscores; vendors may write them in any case, with spaces or with
/// hyphens.
pub(crate) struct StatusTable(&'static [(&'static str, Progress)]);

/// Statuses with the same meaning at all vendors that use them.
#[rustfmt::skip]
const USUAL: &[(&str, Progress)] = &[
    ("scheduled", Progress::Sent),
    ("pending", Progress::Sent),
    ("queued", Progress::Sent),
    ("submitted", Progress::Sent),
    ("accepted", Progress::Sent),
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("undelivered", Progress::Failed(FailureCode::Undelivered)),
    ("undeliverable", Progress::Failed(FailureCode::Undelivered)),
    ("not_delivered", Progress::Failed(FailureCode::Undelivered)),
    ("rejected", Progress::Failed(FailureCode::Undelivered)),
    ("expired", Progress::Failed(FailureCode::Undelivered)),
    ("failed", Progress::Failed(FailureCode::Undelivered)),
];

impl StatusTable {
    /// Creates a table of the common statuses and the vendor's own.
    pub(crate) const fn usual_and(own: &'static [(&'static str, Progress)]) -> Self {
        Self(own)
    }

    /// Returns the event of a status; `None` if the status is unknown.
    pub(crate) fn event(&self, word: &str, at: DateTime<Utc>) -> Option<DeliveryEvent> {
        let progress = self.progress(word)?;
        Some(progress.event(at, word))
    }

    /// Returns the result of a lookup. A message with an unknown status is still on its way.
    pub(crate) fn lookup(&self, word: &str, at: DateTime<Utc>) -> LookUp {
        match self.progress(word) {
            Some(progress) => progress.lookup(at, word),
            None => LookUp::Waiting,
        }
    }

    fn progress(&self, word: &str) -> Option<Progress> {
        let word = word.trim().to_lowercase().replace([' ', '-'], "_");
        let mut known = self.0.iter().chain(USUAL);
        known.find(|(known, _)| *known == word).map(|(_, progress)| *progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::now;

    const STATUSES: StatusTable = StatusTable::usual_and(&[("delivrd", Progress::Delivered)]);

    #[test]
    fn a_status_is_recognized_in_every_spelling() {
        for word in ["NOT_DELIVERED", "Not Delivered", " not-delivered "] {
            let failure = failure(FailureCode::Undelivered, word);
            let event = DeliveryEvent::Rejected { at: now(), failure };
            assert_eq!(STATUSES.event(word, now()), Some(event), "{word}");
        }
        assert_eq!(STATUSES.event("levitating", now()), None);
    }

    #[test]
    fn a_message_on_its_way_is_waited_for() {
        let confirmed = LookUp::Found(DeliveryEvent::Confirmed { at: now() });
        assert_eq!(STATUSES.lookup("Delivered", now()), confirmed);
        assert_eq!(STATUSES.lookup("DELIVRD", now()), confirmed);
        for word in ["Sent", "levitating"] {
            assert_eq!(STATUSES.lookup(word, now()), LookUp::Waiting, "{word}");
        }
    }
}
