//! Joining of words that are spelled letter by letter, as in `P I N`.

use super::{Reading, Token};
use crate::content::compliance::{
    forms,
    letters::stands_for,
    vocabulary::{Vocabulary, Word},
};

/// Minimum number of letters of a spelled word.
const MIN_LETTERS: usize = 3;
/// Maximum length of a word in a run of letters.
const MAX_WORD: usize = 14;

/// Replaces runs of single letters by the words that they spell.
pub(super) fn join_spelled_words(reading: &mut Reading, vocabulary: &Vocabulary) {
    let is_single = |token: &Token| token.letters.len() == 1;
    if !reading.tokens.windows(MIN_LETTERS).any(|tokens| tokens.iter().all(is_single)) {
        return;
    }
    let mut joined = Vec::with_capacity(reading.tokens.len());
    let mut rest = reading.tokens.as_slice();
    while !rest.is_empty() {
        let length = rest.iter().take_while(|token| is_single(token)).count();
        let (run, after) = rest.split_at(length.max(1));
        match words(reading, run, vocabulary) {
            Some(words) => joined.extend(words),
            None => joined.extend_from_slice(run),
        }
        rest = after;
    }
    reading.tokens = joined;
}

/// Returns the words that a run of letters spells; `None` if it contains no known word of three letters.
fn words(reading: &Reading, run: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    if run.len() < MIN_LETTERS || run.iter().all(|token| token.is_number) {
        return None;
    }
    let gap = |pair: &[Token]| pair[1].span.start.saturating_sub(pair[0].span.end);
    let narrowest = run.windows(2).map(gap).min().unwrap_or_default();
    // A wider gap ends a word.
    let groups: Vec<&[Token]> =
        run.chunk_by(|a, b| b.span.start.saturating_sub(a.span.end) <= narrowest).collect();
    let mut words = Vec::new();
    match groups.as_slice() {
        [letters] => spell(reading, letters, vocabulary, &mut words),
        words_apart => {
            for letters in words_apart {
                let word = text_of(reading, letters).and_then(|text| vocabulary.word(&text));
                words.push(spelled(letters, word));
            }
        }
    }
    let is_long = |token: &Token| token.word.is_some() && token.letters.len() >= MIN_LETTERS;
    words.iter().any(is_long).then_some(words)
}

/// Returns the text that tokens spell; `None` if one of them is not a letter and replaces none.
fn text_of(reading: &Reading, letters: &[Token]) -> Option<String> {
    let letters = letters.iter().map(|token| {
        let c = reading.written(token).chars().next()?;
        if c.is_ascii_digit() { stands_for(c).map(|(letter, _)| letter) } else { Some(c) }
    });
    letters.collect()
}

/// Adds the known words that letters spell, and the letters between them.
fn spell(reading: &Reading, tokens: &[Token], vocabulary: &Vocabulary, words: &mut Vec<Token>) {
    let Some(letters) = text_of(reading, tokens) else { return };
    let mut at = 0;
    while at < letters.len() {
        let mut ends = (at + 2..=letters.len().min(at + MAX_WORD)).rev();
        let known = ends.find_map(|end| Some((end, vocabulary.word(&letters[at..end])?)));
        let end = known.map_or(at + 1, |(end, _)| end);
        words.push(spelled(&tokens[at..end], known.map(|(_, word)| word)));
        at = end;
    }
}

/// Returns the word that these letters spell.
fn spelled(letters: &[Token], word: Option<Word>) -> Token {
    let (Some(first), Some(last)) = (letters.first(), letters.last()) else {
        return Token::default();
    };
    if letters.len() == 1 {
        return first.clone();
    }
    let classes = word.map_or(0, |word| word.classes);
    let is_suspicious = letters.len() >= MIN_LETTERS && classes != 0;
    Token {
        span: first.span.start..last.span.end,
        bytes: first.bytes.start..last.bytes.end,
        word: word.map(|word| word.id),
        classes: classes | if is_suspicious { forms::DISGUISED } else { 0 },
        letters: first.letters.start..last.letters.end,
        is_number: false,
        ..first.clone()
    }
}
