//! Reading of texts into tokens.

mod chunk;
mod joining;

use std::ops::Range;

use super::{
    MAX_CHARACTERS, forms,
    letters::Letter,
    vocabulary::{Classes, Vocabulary, WordId},
};

/// Visible character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyph {
    pub(super) letter: Letter,
    /// Index of the character in the text.
    pub(super) at: usize,
    /// Range in the text, in bytes.
    pub(super) bytes: (usize, usize),
}

impl Glyph {
    pub(super) fn c(&self) -> char {
        self.letter.folded
    }
}

/// Word, number, link or the like.
#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    /// Range in the text, in characters.
    pub(super) span: Range<usize>,
    /// Range in the text, in bytes.
    pub(super) bytes: Range<usize>,
    /// Identifier of the word; `None` if it is unknown.
    pub(super) word: Option<WordId>,
    pub(super) classes: Classes,
    /// Classes of the phrase that begins here.
    pub(super) phrase: Classes,
    /// Number of tokens of that phrase.
    pub(super) phrase_length: usize,
    /// Index of its sentence.
    pub(super) sentence: usize,
    /// True if the text denies it, forbids it or warns of it.
    pub(super) is_negated: bool,
    /// Range of its letters or digits in [`Reading::letters`].
    pub(super) letters: Range<usize>,
    pub(super) is_number: bool,
}

/// Text read into tokens.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) tokens: Vec<Token>,
    /// Classes of all tokens and phrases.
    pub(super) classes: Classes,
    /// Relevant classes of each token: negated tokens have only those of their form.
    pub(super) visible: Vec<Classes>,
    /// Set of the words that occur, one bit for each.
    pub(super) words: Vec<u64>,
    /// Folded letters and digits of all tokens.
    pub(super) letters: String,
    pub(super) letter_count: usize,
    pub(super) capital_count: usize,
    pub(super) exclamation_count: usize,
    /// True if the text is longer than the part that was read.
    pub(super) is_cut: bool,
}

impl Reading {
    /// Splits `text` into tokens.
    pub(super) fn of(text: &str, vocabulary: &Vocabulary) -> Self {
        let mut reading = Self::default();
        let mut glyphs = Vec::with_capacity(text.len().min(MAX_CHARACTERS));
        for (at, (byte, c)) in text.char_indices().enumerate() {
            if at >= MAX_CHARACTERS {
                reading.is_cut = true;
                break;
            }
            let Some(letter) = Letter::of(c) else { continue };
            reading.letter_count += usize::from(letter.folded.is_alphabetic());
            reading.capital_count += usize::from(letter.is_capital);
            reading.exclamation_count += usize::from(letter.folded == '!');
            glyphs.push(Glyph { letter, at, bytes: (byte, byte + c.len_utf8()) });
        }
        chunk::tokenize(&mut reading, &glyphs, vocabulary);
        joining::join_spelled_words(&mut reading, vocabulary);
        reading
    }

    /// Returns the start of a range of tokens in characters, and its range in bytes.
    pub(super) fn passage(&self, tokens: Range<usize>) -> Option<(usize, Range<usize>)> {
        let tokens = self.tokens.get(tokens)?;
        let (first, last) = (tokens.first()?, tokens.last()?);
        Some((first.span.start, first.bytes.start..last.bytes.end))
    }

    /// Returns the letters or digits of a token.
    pub(super) fn written(&self, token: &Token) -> &str {
        self.letters.get(token.letters.clone()).unwrap_or_default()
    }

    /// Finds the beginnings of phrases.
    pub(super) fn find_phrases(&mut self, vocabulary: &Vocabulary) {
        for index in 1..self.tokens.len() {
            let (first, second) = (&self.tokens[index - 1], &self.tokens[index]);
            let (Some(first_word), Some(second_word)) = (first.word, second.word) else { continue };
            if first.sentence != second.sentence {
                continue;
            }
            let (mut classes, mut length) = (0, 0);
            for phrase in vocabulary.phrases(first_word, second_word) {
                let next = self.tokens.get(index + 1..).unwrap_or_default();
                let is_here = next.len() >= phrase.rest.len()
                    && next.iter().zip(&phrase.rest).all(|(token, word)| {
                        token.word == Some(*word) && token.sentence == first.sentence
                    });
                if is_here {
                    classes |= phrase.classes;
                    length = length.max(phrase.rest.len() + 2);
                }
            }
            self.tokens[index - 1].phrase = classes;
            self.tokens[index - 1].phrase_length = length;
        }
    }

    /// Collects the classes and words of the whole text.
    pub(super) fn note_presence(&mut self, vocabulary: &Vocabulary) {
        self.words = vec![0; vocabulary.len().div_ceil(64)];
        for token in &self.tokens {
            self.classes |= token.classes | token.phrase;
            let classes = token.classes | token.phrase;
            let visible = if token.is_negated { classes & forms::ALL } else { classes };
            self.visible.push(visible);
            if let Some(word) = token.word.map(usize::from) {
                self.words[word / 64] |= 1 << (word % 64);
            }
        }
    }
}
