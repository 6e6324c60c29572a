//! Texts that need more segments because of a few characters that GSM-7 lacks.

use std::collections::BTreeMap;

use super::{Facts, NewMessage, Recommendation, RecommendationCode};
use crate::{
    messaging::delivery::Status,
    shared::{money::Money, sms},
};

/// Minimum number of additional segments for a recommendation.
const LEAST_SEGMENTS: u64 = 10;
/// Maximum number of different such characters in a text. With more, its language needs them.
const FEW_CHARACTERS: usize = 5;
/// Maximum number of named characters.
const NAMED: usize = 5;

pub(super) fn recommend(facts: &Facts) -> Option<Recommendation> {
    let (mut texts, mut segments, mut cost) = (0_u64, 0, Money::ZERO);
    let mut characters = BTreeMap::<char, u64>::new();
    for message in &facts.newest {
        let Some(text) = message.long_text.as_deref() else { continue };
        let extra = extra_segments(message, text);
        if extra == 0 {
            continue;
        }
        texts += 1;
        segments += u64::from(extra);
        cost += extra_cost(message, extra);
        for character in sms::non_gsm(text) {
            *characters.entry(character).or_default() += 1;
        }
    }
    if segments < LEAST_SEGMENTS || cost <= Money::ZERO {
        return None;
    }
    Some(Recommendation {
        code: RecommendationCode::CostlyCharacters,
        title: format!("A few characters cost {cost} more"),
        message: format!(
            "{texts} of the newest {} messages needed {segments} segments more, which cost {cost}, because \
             of characters that the alphabet of SMS (GSM-7) lacks: {}. Write plain characters instead.",
            facts.newest.len(),
            named(characters),
        ),
        value: cost.to_number(),
        messages_at_stake: facts.scaled(segments),
    })
}

/// Returns the number of segments that a text would have saved in GSM-7. A forgotten text saves none.
fn extra_segments(message: &NewMessage, text: &str) -> u16 {
    let segmentation = sms::segment(text);
    let is_whole = segmentation.segments == message.segments;
    if message.status == Status::Failed || !is_whole || sms::non_gsm(text).len() > FEW_CHARACTERS {
        return 0;
    }
    message.segments.saturating_sub(sms::segments_if_gsm7(text))
}

fn extra_cost(message: &NewMessage, extra: u16) -> Money {
    let micros = message.cost.micros() * i64::from(extra) / i64::from(message.segments.max(1));
    Money::from_micros(micros)
}

/// Lists the characters that occur in most texts, each with its number, since some are invisible.
fn named(characters: BTreeMap<char, u64>) -> String {
    let mut characters: Vec<_> = characters.into_iter().collect();
    characters.sort_by_key(|(_, texts)| std::cmp::Reverse(*texts));
    let shown = characters.iter().take(NAMED).map(|(character, _)| {
        let number = format!("U+{:04X}", u32::from(*character));
        if character.is_control() || character.is_whitespace() {
            number
        } else {
            format!("{character} ({number})")
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}
