//! Patterns of words.
//!
//! `<ask> ..4 <secret>` is a token of the class `ask`, up to four tokens, and one of the class `secret`,
//! all in one sentence and none of it negated. Words stand for themselves, `a|b` for one of several.
//! `one & other` is both, anywhere in the text; `!other` is what must not be there.

use std::ops::Range;

use super::{
    forms,
    tokens::{Reading, Token},
    vocabulary::{Classes, Vocabulary, WordId},
};

/// A pattern that can be compared with texts.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug, Default)]
struct Part {
    must_be_absent: bool,
    elements: Vec<Element>,
}

#[derive(Debug, Default)]
struct Element {
    /// How many tokens may stand before it.
    gap: usize,
    classes: Classes,
    words: Vec<WordId>,
}

impl Pattern {
    /// The pattern that `source` describes. Words are added to the vocabulary; a class that is not
    /// there is the error.
    pub(super) fn parse(source: &str, vocabulary: &mut Vocabulary) -> Result<Self, String> {
        let parts = source.split(" & ").map(|part| Part::parse(part.trim(), vocabulary));
        Ok(Self { parts: parts.collect::<Result<_, _>>()? })
    }

    /// Where the first part is, if all of the pattern is in the text.
    pub(super) fn find(&self, reading: &Reading) -> Option<Range<usize>> {
        if !self.parts.iter().all(|part| part.must_be_absent || part.may_be_in(reading)) {
            return None;
        }
        let mut first = None;
        for part in &self.parts {
            let found = part.find(reading);
            if part.must_be_absent == found.is_some() {
                return None;
            }
            first = first.or(found);
        }
        first
    }
}

impl Part {
    fn parse(source: &str, vocabulary: &mut Vocabulary) -> Result<Self, String> {
        let (must_be_absent, source) = match source.strip_prefix('!') {
            Some(source) => (true, source),
            None => (false, source),
        };
        let mut part = Self { must_be_absent, elements: Vec::new() };
        let mut gap = 0;
        for word in source.split_whitespace() {
            if let Some(length) = word.strip_prefix("..") {
                gap = length.parse().map_err(|_| format!("{word} is no gap"))?;
                continue;
            }
            let mut element = Element { gap: std::mem::take(&mut gap), ..Element::default() };
            for alternative in word.split('|') {
                let class = alternative.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
                match class {
                    Some(name) => {
                        let class = vocabulary.class_named(name);
                        element.classes |=
                            class.ok_or_else(|| format!("there is no class {name}"))?;
                    }
                    None => element.words.push(vocabulary.intern(alternative)),
                }
            }
            part.elements.push(element);
        }
        Ok(part)
    }

    /// Whether the text has each element, wherever it stands.
    fn may_be_in(&self, reading: &Reading) -> bool {
        self.elements.iter().all(|element| {
            element.classes & reading.classes != 0
                || element.words.iter().any(|word| {
                    let word = usize::from(*word);
                    reading.words.get(word / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
                })
        })
    }

    fn find(&self, reading: &Reading) -> Option<Range<usize>> {
        if !self.may_be_in(reading) {
            return None;
        }
        let (first, rest) = self.elements.split_first()?;
        let tokens = &reading.tokens;
        (0..tokens.len()).find_map(|start| {
            let next = start + first.length_at(&tokens[start])?;
            let end = Self::rest_from(rest, tokens, next, tokens[start].sentence)?;
            Some(tokens[start].span.start..tokens[end - 1].span.end)
        })
    }

    /// The end of the rest of the elements, if it follows at `start`.
    fn rest_from(
        rest: &[Element],
        tokens: &[Token],
        start: usize,
        sentence: usize,
    ) -> Option<usize> {
        let Some((first, rest)) = rest.split_first() else { return Some(start.min(tokens.len())) };
        let near = tokens.get(start..)?.iter().take(first.gap + 1).enumerate();
        let same = near.take_while(|(_, token)| token.sentence == sentence);
        for (skipped, token) in same {
            if let Some(length) = first.length_at(token)
                && let Some(end) = Self::rest_from(rest, tokens, start + skipped + length, sentence)
            {
                return Some(end);
            }
        }
        None
    }
}

impl Element {
    /// How many tokens the element takes at `token`, if it is there and not negated.
    fn length_at(&self, token: &Token) -> Option<usize> {
        if token.is_negated && token.classes & forms::ALL == 0 {
            return None;
        }
        if token.phrase & self.classes != 0 {
            return Some(token.phrase_length);
        }
        let is_word = token.word.is_some_and(|word| self.words.contains(&word));
        (token.classes & self.classes != 0 || is_word).then_some(1)
    }
}
