//! Shortening of texts to fewer parts.

use super::{
    phrases::{contract, drop_sentences, replace},
    pieces::keeps_placeholders,
    tables,
};
use crate::shared::sms;

/// Shortens the text step by step until it takes at most `most` parts. Keeps all facts, so the result may
/// still be longer; it never takes more parts than before.
pub(super) fn to(most: u16, mut text: String) -> String {
    let steps: [fn(&str) -> String; 5] = [
        |text| replace(text, tables::WORDY),
        |text| drop_sentences(text, tables::COURTESIES),
        |text| contract(text, tables::CONTRACTIONS),
        |text| replace(text, tables::SHORT_FORMS),
        |text| text.split_whitespace().collect::<Vec<_>>().join(" "),
    ];
    for step in steps {
        let now = sms::segment(&text);
        if now.segments <= most {
            break;
        }
        let shorter = step(&text);
        let then = sms::segment(&shorter);
        let is_shorter = then.units < now.units && then.segments <= now.segments;
        if is_shorter && keeps_placeholders(&shorter, &text) {
            text = shorter;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_shortened_until_it_fits_and_no_further() {
        let text = "Dear valued customer, please note that your appointment with Dr {{doctor}} at the \
                    Ridge clinic is on Monday, 12 October at 10:00. Please bring your card and your \
                    receipt. Thank you.";
        assert_eq!(to(2, text.to_owned()), text);
        let shorter = to(1, text.to_owned());
        assert_eq!(
            shorter,
            "Your appointment with Dr {{doctor}} at the Ridge clinic is on Monday, 12 October at \
             10:00. Please bring your card and your receipt."
        );
        assert_eq!(sms::segment(&shorter).segments, 1);
    }

    #[test]
    fn facts_are_not_dropped_to_fit() {
        let text = "Ama Kofi Esi Yaw ".repeat(20);
        assert_eq!(sms::segment(&to(1, text.clone())).segments, sms::segment(&text).segments);
    }

    proptest! {
        #[test]
        fn a_shortened_text_never_takes_more_parts(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("thank you. "), Just("please note that "), Just("€€€ "), Just("ɛ"),
                    Just("and "), Just("{{a}}, "), Just("kindly "), Just("\n"), Just("tomorrow "),
                ],
                1..120,
            ),
            most in 1..4_u16,
        ) {
            let text = words.concat();
            let shorter = to(most, text.clone());
            prop_assert!(sms::segment(&shorter).segments <= sms::segment(&text).segments);
        }
    }
}
