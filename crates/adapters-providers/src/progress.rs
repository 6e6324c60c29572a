//! How far a message has come, in the words of the vendors.

use chrono::{DateTime, Utc};
use domain::{
    delivery::{DeliveryEvent, FailureCode},
    provider::LookUp,
};

use crate::verdict::failure;

/// How far a vendor says that a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// On its way.
    Sent,
    /// Arrived.
    Delivered,
    /// Given up.
    Failed(FailureCode),
}

impl Progress {
    /// What happened, with the vendor's own word for it.
    pub(crate) fn event(self, at: DateTime<Utc>, vendor_code: &str) -> DeliveryEvent {
        match self {
            Self::Sent => DeliveryEvent::Accepted { at },
            Self::Delivered => DeliveryEvent::Confirmed { at },
            Self::Failed(code) => {
                DeliveryEvent::Rejected { at, failure: failure(code, vendor_code) }
            }
        }
    }

    /// The answer to a question about the message.
    pub(crate) fn look_up(self, at: DateTime<Utc>, vendor_code: &str) -> LookUp {
        match self {
            Self::Sent => LookUp::Waiting,
            _ => LookUp::Found(self.event(at, vendor_code)),
        }
    }
}

/// A vendor's words, in lower case and joined by underscores, and what they stand for. Vendors
/// write them as they like.
pub(crate) struct Words(pub(crate) &'static [(&'static str, Progress)]);

impl Words {
    /// What happened, if the word is known.
    pub(crate) fn event(&self, word: &str, at: DateTime<Utc>) -> Option<DeliveryEvent> {
        self.progress(word).map(|progress| progress.event(at, word))
    }

    /// The answer to a question about a message: it is on its way if the word is not known.
    pub(crate) fn look_up(&self, word: &str, at: DateTime<Utc>) -> LookUp {
        self.progress(word).map_or(LookUp::Waiting, |progress| progress.look_up(at, word))
    }

    fn progress(&self, word: &str) -> Option<Progress> {
        let word = word.trim().to_lowercase().replace([' ', '-'], "_");
        self.0.iter().find(|(known, _)| *known == word).map(|(_, progress)| *progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::now;

    const WORDS: Words = Words(&[
        ("not_delivered", Progress::Failed(FailureCode::Undelivered)),
        ("delivered", Progress::Delivered),
        ("sent", Progress::Sent),
    ]);

    #[test]
    fn a_word_is_known_in_every_way_to_write_it() {
        for word in ["NOT_DELIVERED", "Not Delivered", " not-delivered "] {
            let failure = failure(FailureCode::Undelivered, word);
            let event = DeliveryEvent::Rejected { at: now(), failure };
            assert_eq!(WORDS.event(word, now()), Some(event), "{word}");
        }
        assert_eq!(WORDS.event("levitating", now()), None);
    }

    #[test]
    fn a_message_that_is_on_its_way_is_waited_for() {
        let confirmed = DeliveryEvent::Confirmed { at: now() };
        assert_eq!(WORDS.look_up("Delivered", now()), LookUp::Found(confirmed));
        for word in ["Sent", "levitating"] {
            assert_eq!(WORDS.look_up(word, now()), LookUp::Waiting, "{word}");
        }
    }
}
