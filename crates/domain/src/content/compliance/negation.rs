//! Negated passages, and disclosed secrets.

use super::{
    forms,
    tokens::Reading,
    vocabulary::{Classes, Vocabulary},
};

/// Number of tokens that a `not` covers.
const REACH_OF_NOT: usize = 9;
/// Number of tokens that a `no` covers: `no processing fee`.
const REACH_OF_NO: usize = 3;
/// Number of tokens that a warning covers within its sentence.
const REACH_OF_WARNING: usize = 40;
/// Maximum number of tokens between a secret and its value.
const REACH_OF_VALUE: usize = 4;

/// Marks negated tokens, and secrets that the text itself discloses.
pub(super) fn mark(reading: &mut Reading, vocabulary: &Vocabulary) {
    let class = |name| vocabulary.class_named(name).unwrap_or(0);
    let negators = Negators {
        not: class("not"),
        no: class("no"),
        warning: class("warning"),
        decoy: class("decoy"),
        fee: class("fee"),
    };
    negators.mark(reading);
    mark_given(reading, class("secret") | class("code"), class("is"));
}

/// Negating classes, and the class that a mere `no` negates.
struct Negators {
    not: Classes,
    no: Classes,
    warning: Classes,
    decoy: Classes,
    fee: Classes,
}

impl Negators {
    fn mark(&self, reading: &mut Reading) {
        let (mut sentence, mut until, mut until_no, mut decoyed) = (0, 0, 0, 0);
        for (index, token) in reading.tokens.iter_mut().enumerate() {
            if token.sentence != sentence {
                (sentence, until, until_no) = (token.sentence, 0, 0);
            }
            let classes = token.classes | token.phrase;
            let after = index + token.phrase_length.max(1);
            if classes & self.decoy != 0 {
                // "Do not delay, send it" forbids only the delay.
                (until, decoyed) = (0, after);
            }
            // "No" is the article in Twi, so it negates fees and nothing else.
            token.is_negated = index < until || (index < until_no && classes & self.fee != 0);
            if classes & self.warning != 0 {
                until = until.max(after + REACH_OF_WARNING);
            } else if classes & self.not != 0 && index >= decoyed {
                until = until.max(after + REACH_OF_NOT);
            } else if classes & self.no != 0 {
                until_no = index + 1 + REACH_OF_NO;
            }
        }
    }
}

/// Marks secrets beside their value as disclosed: `Your OTP is 4821`, `4821 is your code`.
fn mark_given(reading: &mut Reading, secret: Classes, is: Classes) {
    for index in 0..reading.tokens.len() {
        let token = &reading.tokens[index];
        if (token.classes | token.phrase) & secret == 0 {
            continue;
        }
        let is_value = |at: usize| {
            let value = &reading.tokens[at];
            value.sentence == token.sentence
                && value.classes & (forms::DIGITS | forms::PLACEHOLDER) != 0
                && value.classes & (forms::MONEY | forms::PHONE) == 0
        };
        let end = index + token.phrase_length.max(1);
        let after = end..reading.tokens.len().min(end + REACH_OF_VALUE);
        let is_stated_after = after.clone().find(|at| is_value(*at)).is_some_and(|at| {
            at == end || reading.tokens[end..at].iter().any(|it| it.classes & is != 0)
        });
        let before = index.saturating_sub(REACH_OF_VALUE)..index;
        let is_stated_before = before
            .clone()
            .rfind(|at| is_value(*at))
            .is_some_and(|at| reading.tokens[at + 1..index].iter().any(|it| it.classes & is != 0));
        if is_stated_after || is_stated_before {
            let token = &mut reading.tokens[index];
            token.classes = (token.classes & !secret) | forms::GIVEN;
            token.phrase &= !secret;
        }
    }
}
