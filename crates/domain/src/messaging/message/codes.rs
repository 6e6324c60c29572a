//! Codes in messages. A one-time password is readable until it is used up; afterwards the log shows
//! only that there was one.

use std::sync::Arc;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::{Draft, Message};
use crate::shared::placeholder;

/// Time after which a code is masked, whatever the outcome of its message.
pub const CODE_LIFETIME: TimeDelta = TimeDelta::hours(1);

/// Mask in the place of a code.
const MASK: &str = "••••••";
/// Minimum length of a run of letters and digits that counts as a code, in characters.
const SHORTEST_CODE: usize = 4;

/// Texts of a message with masks in the place of codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedTexts {
    /// Subject line.
    pub subject: Option<String>,
    /// Text.
    pub body: String,
}

impl MaskedTexts {
    /// Masks the texts that the sender wrote, with placeholders.
    pub(super) fn of(subject: Option<&str>, body: &str) -> Self {
        Self { subject: subject.map(masked), body: masked(body) }
    }
}

/// Masks the placeholders of a text or, if it has none, each run of letters and digits that may be
/// a code.
fn masked(text: &str) -> String {
    let names = placeholder::names(text);
    if names.is_empty() {
        return without_codes(text);
    }
    let masks = names.into_iter().map(|name| (name.to_owned(), MASK.to_owned())).collect();
    placeholder::fill(text, &masks, usize::MAX).unwrap_or_default()
}

fn without_codes(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let is_code = run.chars().count() >= SHORTEST_CODE && run.contains(char::is_numeric);
        masked.push_str(if is_code { MASK } else { run });
        let next = after.find(char::is_alphanumeric).unwrap_or(after.len());
        masked.push_str(&after[..next]);
        rest = &after[next..];
    }
    masked
}

impl Draft {
    /// Puts masks in the place of codes, if it has any.
    pub fn mask_codes(&mut self) {
        if let Some(MaskedTexts { subject, body }) = self.masked.take() {
            self.subject = subject;
            self.body = body;
            self.vendor_template = None;
        }
    }
}

impl Message {
    /// True if its codes are masked from now on: its outcome is final, or they are too old.
    pub fn hides_codes(&self) -> bool {
        let is_old = self.delivery.sent_at().is_some_and(|at| at - self.created_at > CODE_LIFETIME);
        self.draft.masked.is_some() && (is_old || self.delivery.status().is_final())
    }

    /// Returns the message as shown: with codes only if `sees_codes` and while they are of use.
    #[must_use]
    pub fn shown(self, sees_codes: bool) -> Self {
        if sees_codes && !self.hides_codes() { self } else { self.without_codes() }
    }

    /// Returns the message with masks in the place of codes.
    #[must_use]
    pub fn without_codes(mut self) -> Self {
        if self.draft.masked.is_some() {
            Arc::make_mut(&mut self.draft).mask_codes();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_values_of_placeholders_are_masked() {
        let masks =
            MaskedTexts::of(Some("For {{name}}"), "{{code}} is your code of 2026, {{name}}");

        assert_eq!(masks.subject.as_deref(), Some("For ••••••"));
        assert_eq!(masks.body, "•••••• is your code of 2026, ••••••");
    }

    #[test]
    fn possible_codes_are_masked_in_a_text_without_placeholders() {
        for (text, masked) in [
            ("Your code is 482913.", "Your code is ••••••."),
            ("G-482913 is yours", "G-•••••• is yours"),
            ("a1b2\nc3d4", "••••••\n••••••"),
            ("Within 10 minutes, or 123", "Within 10 minutes, or 123"),
            ("Kɔfi ɔ12ɔ", "Kɔfi ••••••"),
            ("٤٨٢٩", "••••••"),
            ("", ""),
        ] {
            assert_eq!(MaskedTexts::of(None, text).body, masked);
        }
    }

    proptest! {
        #[test]
        fn no_run_with_a_digit_is_left_in_a_text_without_placeholders(text in "[^{]*") {
            let left = without_codes(&text);

            for run in left.split(|c: char| !c.is_alphanumeric()) {
                prop_assert!(run.chars().count() < SHORTEST_CODE || !run.contains(char::is_numeric));
            }
        }
    }
}
