//! Words that are spelled letter by letter, as in `P I N`, put together again.

use super::{Reading, Token};
use crate::compliance::{forms, letters::stands_for, vocabulary::Vocabulary};

/// The fewest letters that are taken for a spelled word.
const MIN_LETTERS: usize = 3;
/// The longest word to look for in a run of letters.
const MAX_WORD: usize = 14;

/// Replaces letters that stand alone, one after the other, by the known words that they spell.
pub(super) fn join_spelled_words(reading: &mut Reading, vocabulary: &Vocabulary) {
    let mut start = 0;
    let mut joined: Option<Vec<Token>> = None;
    while start < reading.tokens.len() {
        let run =
            reading.tokens[start..].iter().take_while(|it| reading.written(it).len() == 1).count();
        let is_spelled =
            run >= MIN_LETTERS && reading.tokens[start..start + run].iter().any(|it| !it.is_number);
        if is_spelled {
            let words = words(reading, start..start + run, vocabulary);
            if !words.is_empty() {
                let joined = joined.get_or_insert_with(|| reading.tokens[..start].to_vec());
                joined.extend(words);
                start += run;
                continue;
            }
        }
        let run = run.max(1);
        if let Some(joined) = &mut joined {
            joined.extend_from_slice(&reading.tokens[start..start + run]);
        }
        start += run;
    }
    if let Some(joined) = joined {
        reading.tokens = joined;
    }
}

/// The known words that a run of letters spells. Letters between them are left as they are. None, if
/// there is no word of three letters.
fn words(reading: &Reading, run: std::ops::Range<usize>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = &reading.tokens[run];
    let letters: String = tokens
        .iter()
        .filter_map(|token| {
            let c = reading.written(token).chars().next()?;
            if c.is_ascii_digit() { stands_for(c).map(|(letter, _)| letter) } else { Some(c) }
        })
        .collect();
    if letters.len() != tokens.len() || !letters.is_ascii() {
        return Vec::new();
    }
    let (mut words, mut at, mut longest) = (Vec::new(), 0, 0);
    while at < letters.len() {
        let mut ends = (at + 2..=letters.len().min(at + MAX_WORD)).rev();
        let found = ends.find_map(|end| Some((end, vocabulary.word(&letters[at..end])?)));
        let Some((end, word)) = found else {
            words.push(tokens[at].clone());
            at += 1;
            continue;
        };
        longest = longest.max(end - at);
        let classes = word.classes | if end - at >= MIN_LETTERS { forms::DISGUISED } else { 0 };
        words.push(Token {
            span: tokens[at].span.start..tokens[end - 1].span.end,
            word: Some(word.id),
            classes,
            letters: tokens[at].letters.start..tokens[end - 1].letters.end,
            is_number: false,
            ..tokens[at].clone()
        });
        at = end;
    }
    if longest >= MIN_LETTERS { words } else { Vec::new() }
}
