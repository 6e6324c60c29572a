//! Patterns of words.
//!
//! `<ask> ..4 <secret>` matches a token of the class `ask`, up to four tokens, and one of the class
//! `secret`, all in one sentence and none of it negated. Words match themselves, `a|b` one of several.
//! `one & other` requires both, anywhere in the text; `!other` must not occur.

use std::ops::Range;

use super::{
    tokens::Reading,
    vocabulary::{Classes, Vocabulary, WordId},
};

/// Pattern ready for matching: parts of a [`PatternBook`].
#[derive(Debug)]
pub(super) struct Pattern {
    wanted: Vec<usize>,
    unwanted: Vec<usize>,
}

/// Distinct parts of all patterns.
#[derive(Debug, Default)]
pub(super) struct PatternBook {
    parts: Vec<Part>,
}

/// Search in a text, with the results for the parts of the book.
#[derive(Debug)]
pub(super) struct Search<'a> {
    book: &'a PatternBook,
    reading: &'a Reading,
    parts: Vec<Sought>,
}

/// Result for a part.
#[derive(Debug, Clone, Copy)]
enum Sought {
    /// Not searched yet.
    Not,
    /// Not in the text.
    Missing,
    /// The first token of the match, and the one after its last.
    Found(usize, usize),
}

#[derive(Debug, Default, PartialEq)]
struct Part {
    elements: Vec<Element>,
}

#[derive(Debug, Default, PartialEq)]
struct Element {
    /// Maximum number of tokens before the element.
    gap: usize,
    classes: Classes,
    words: Vec<WordId>,
}

impl PatternBook {
    /// Parses a pattern. Adds its words to the vocabulary. Fails if a class is unknown.
    pub(super) fn read(
        &mut self,
        source: &str,
        vocabulary: &mut Vocabulary,
    ) -> Result<Pattern, String> {
        let mut pattern = Pattern { wanted: Vec::new(), unwanted: Vec::new() };
        for source in source.split(" & ").map(str::trim) {
            let (list, source) = match source.strip_prefix('!') {
                Some(source) => (&mut pattern.unwanted, source),
                None => (&mut pattern.wanted, source),
            };
            let part = Part::parse(source, vocabulary)?;
            let known = self.parts.iter().position(|it| *it == part);
            list.push(known.unwrap_or(self.parts.len()));
            if known.is_none() {
                self.parts.push(part);
            }
        }
        Ok(pattern)
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(book: &'a PatternBook, reading: &'a Reading) -> Self {
        Self { book, reading, parts: vec![Sought::Not; book.parts.len()] }
    }

    /// Returns the tokens of the first part if the text matches the whole pattern.
    pub(super) fn find(&mut self, pattern: &Pattern) -> Option<Range<usize>> {
        let is_possible = |part: &usize| self.book.parts[*part].may_be_in(self.reading);
        if !pattern.wanted.iter().all(is_possible) {
            return None;
        }
        let mut first = None;
        for part in &pattern.wanted {
            let found = self.part(*part)?;
            first = first.or(Some(found));
        }
        if pattern.unwanted.iter().any(|part| self.part(*part).is_some()) {
            return None;
        }
        first.map(|(start, end)| start..end)
    }

    fn part(&mut self, index: usize) -> Option<(usize, usize)> {
        if matches!(self.parts[index], Sought::Not) {
            let found = self.book.parts[index].find(self.reading);
            self.parts[index] =
                found.map_or(Sought::Missing, |(start, end)| Sought::Found(start, end));
        }
        match self.parts[index] {
            Sought::Found(start, end) => Some((start, end)),
            Sought::Not | Sought::Missing => None,
        }
    }
}

impl Part {
    fn parse(source: &str, vocabulary: &mut Vocabulary) -> Result<Self, String> {
        let mut part = Self::default();
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

    /// True if the text has each element, in any place.
    fn may_be_in(&self, reading: &Reading) -> bool {
        self.elements.iter().all(|element| {
            element.classes & reading.classes != 0
                || element.words.iter().any(|word| {
                    let word = usize::from(*word);
                    reading.words.get(word / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
                })
        })
    }

    /// Returns the first token of the first match, and the one after its last.
    fn find(&self, reading: &Reading) -> Option<(usize, usize)> {
        if !self.may_be_in(reading) {
            return None;
        }
        let (first, rest) = self.elements.split_first()?;
        (0..reading.tokens.len()).find_map(|start| {
            let next = start + first.length_at(reading, start)?;
            let sentence = reading.tokens[start].sentence;
            Some((start, Self::rest_from(rest, reading, next, sentence)?))
        })
    }

    /// Returns the end of the remaining elements if they follow at `start`.
    fn rest_from(
        rest: &[Element],
        reading: &Reading,
        start: usize,
        sentence: usize,
    ) -> Option<usize> {
        let Some((first, rest)) = rest.split_first() else { return Some(start) };
        for at in start..reading.tokens.len().min(start + first.gap + 1) {
            if reading.tokens[at].sentence != sentence {
                return None;
            }
            if let Some(length) = first.length_at(reading, at)
                && let Some(end) = Self::rest_from(rest, reading, at + length, sentence)
            {
                return Some(end);
            }
        }
        None
    }
}

impl Element {
    /// Returns the number of tokens that the element matches at a token; `None` if it is absent or negated.
    fn length_at(&self, reading: &Reading, at: usize) -> Option<usize> {
        if reading.visible[at] & self.classes != 0 {
            let token = &reading.tokens[at];
            let is_phrase = token.phrase & self.classes != 0;
            return Some(if is_phrase { token.phrase_length } else { 1 });
        }
        if self.words.is_empty() {
            return None;
        }
        let token = &reading.tokens[at];
        let is_word = token.word.is_some_and(|word| self.words.contains(&word));
        (is_word && !token.is_negated).then_some(1)
    }
}
