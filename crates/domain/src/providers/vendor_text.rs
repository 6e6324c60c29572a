//! Texts that vendors give us: identifiers, codes, reasons. Nobody knows what is in them, so they
//! are cleaned and cut before they are kept or logged. Nor does anybody know how right their clocks are.

use chrono::{DateTime, Utc};

use crate::messaging::delivery::{DeliveryEvent, Failure};

/// The most characters that are kept of such a text.
pub const MAX_CHARACTERS: usize = 255;

/// The text without control characters, cut to [`MAX_CHARACTERS`].
#[must_use]
pub fn clean(text: String) -> String {
    if is_clean(&text) {
        return text;
    }
    text.chars().filter(|c| !c.is_control()).take(MAX_CHARACTERS).collect()
}

/// Whether a text can be kept as it is.
pub fn is_clean(text: &str) -> bool {
    is_short(text) && !text.chars().any(char::is_control)
}

/// Whether a text has no more than [`MAX_CHARACTERS`].
pub fn is_short(text: &str) -> bool {
    text.len() <= MAX_CHARACTERS || text.chars().nth(MAX_CHARACTERS).is_none()
}

impl Failure {
    /// The same failure with its texts as they can be kept.
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
    /// This event as it is taken in from a vendor at `now`, on a message that was accepted at
    /// `accepted_at`: its time is held within the two, its texts are cleaned.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_are_removed_and_the_rest_is_cut() {
        for (text, cleaned) in [
            ("SM-17", "SM-17"),
            ("a\0b", "ab"),
            ("line\r\n\u{1b}[31mred\u{7f}\u{85}", "line[31mred"),
            ("\0", ""),
            ("Twi: ɛ ɔ", "Twi: ɛ ɔ"),
        ] {
            assert_eq!(clean(text.to_owned()), cleaned);
        }
        assert_eq!(clean("ɔ".repeat(MAX_CHARACTERS)), "ɔ".repeat(MAX_CHARACTERS));
        assert_eq!(clean("ɔ".repeat(MAX_CHARACTERS + 1)), "ɔ".repeat(MAX_CHARACTERS));
    }

    proptest! {
        #[test]
        fn what_was_cleaned_is_clean(text in any::<String>()) {
            let cleaned = clean(text);
            prop_assert!(is_clean(&cleaned));
            prop_assert_eq!(clean(cleaned.clone()), cleaned);
        }
    }
}
