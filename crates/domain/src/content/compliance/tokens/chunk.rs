//! Splitting of the text between two spaces into tokens.

use std::ops::Range;

use super::{Glyph, Reading, Token};
use crate::content::compliance::{
    forms,
    letters::stands_for,
    links,
    vocabulary::{Classes, Vocabulary, Word},
};

/// Maximum distance of the closing braces of a placeholder, in characters.
const MAX_PLACEHOLDER: usize = 80;

/// Minimum length of a disguised word. A shorter word may have digits by chance.
const MIN_DISGUISED: usize = 3;

/// Splits `glyphs` into tokens.
pub(super) fn tokenize(reading: &mut Reading, glyphs: &[Glyph], vocabulary: &Vocabulary) {
    let mut chunks = Chunks { reading, vocabulary, sentence: 0, buffer: String::new() };
    let mut start = 0;
    while start < glyphs.len() {
        if glyphs[start].c().is_whitespace() {
            let is_blank_line = glyphs[start].c() == '\n'
                && glyphs.get(start + 1).is_some_and(|glyph| matches!(glyph.c(), '\n' | '\r'));
            chunks.sentence += usize::from(is_blank_line);
            start += 1;
            continue;
        }
        if let Some(length) = placeholder(&glyphs[start..]) {
            chunks.placeholder(&glyphs[start..start + length]);
            start += length;
            continue;
        }
        let rest = &glyphs[start + 1..];
        let is_end = |(index, glyph): (usize, &Glyph)| {
            glyph.c().is_whitespace() || placeholder(&rest[index..]).is_some()
        };
        let length = rest.iter().enumerate().position(is_end).unwrap_or(rest.len());
        chunks.chunk(&glyphs[start..=start + length]);
        start += length + 1;
    }
}

/// Returns the length of the placeholder that `glyphs` begins with.
fn placeholder(glyphs: &[Glyph]) -> Option<usize> {
    let [first, second, rest @ ..] = glyphs else { return None };
    if first.c() != '{' || second.c() != '{' {
        return None;
    }
    let rest = rest.get(..rest.len().min(MAX_PLACEHOLDER))?;
    let end = rest.windows(2).position(|pair| pair[0].c() == '}' && pair[1].c() == '}')?;
    Some(end + 4)
}

/// Kind of a run of characters in a piece.
#[derive(PartialEq)]
enum Kind {
    Number,
    Word,
    Sign,
}

impl Kind {
    fn of(glyph: &Glyph) -> Self {
        match glyph.c() {
            c if c.is_ascii_digit() || matches!(c, '.' | ',') => Self::Number,
            c if c.is_alphanumeric() || c == '\'' => Self::Word,
            _ => Self::Sign,
        }
    }
}

struct Chunks<'a> {
    reading: &'a mut Reading,
    vocabulary: &'a Vocabulary,
    sentence: usize,
    /// Letters to compare.
    buffer: String,
}

impl Chunks<'_> {
    fn push(&mut self, glyphs: &[Glyph], letters: &str, word: Option<Word>, classes: Classes) {
        let (Some(first), Some(last)) = (glyphs.first(), glyphs.last()) else { return };
        let begin = self.reading.letters.len();
        self.reading.letters.push_str(letters);
        self.reading.tokens.push(Token {
            span: first.at..last.at + 1,
            bytes: first.bytes.0..last.bytes.1,
            word: word.map(|word| word.id),
            classes: classes | word.map_or(0, |word| word.classes),
            sentence: self.sentence,
            letters: begin..self.reading.letters.len(),
            is_number: !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_digit()),
            ..Token::default()
        });
    }

    /// Adds a placeholder, which counts as a value of any kind.
    fn placeholder(&mut self, glyphs: &[Glyph]) {
        let name: String =
            glyphs.iter().map(Glyph::c).filter(char::is_ascii_alphanumeric).collect();
        let mut classes = forms::PLACEHOLDER | forms::NUMBER;
        if ["unsubscribe", "optout", "stop"].iter().any(|word| name.contains(word)) {
            classes |= forms::WAY_OUT;
        }
        self.push(glyphs, "", None, classes);
    }

    fn chunk(&mut self, glyphs: &[Glyph]) {
        let is_edge = |glyph: &Glyph| !glyph.c().is_alphanumeric();
        let opening = |glyph: &Glyph| {
            is_edge(glyph) && !matches!(glyph.c(), '*' | '$' | '₵' | '€' | '£' | '+' | '@')
        };
        let closing =
            |glyph: &Glyph| is_edge(glyph) && !matches!(glyph.c(), '#' | '/' | '$' | '@' | '%');
        let start = glyphs.iter().position(|glyph| !opening(glyph)).unwrap_or(glyphs.len());
        let end = glyphs.iter().rposition(|glyph| !closing(glyph)).map_or(start, |it| it + 1);
        let body = &glyphs[start..end.max(start)];
        let tail = &glyphs[end.max(start)..];
        if !body.is_empty() {
            let has = |wanted: char| body.iter().any(|glyph| glyph.c() == wanted);
            if has('*')
                && let Some(ussd) = ussd(body)
            {
                self.words(&body[..ussd]);
                self.ussd(&body[ussd..]);
            } else if has('.') || has(':') {
                self.dotted(body);
            } else {
                self.words(body);
            }
        }
        if tail.iter().any(|glyph| matches!(glyph.c(), '.' | '!' | '?' | ';')) {
            self.sentence += 1;
        }
    }

    /// Adds text that may contain a link or a mail address.
    fn dotted(&mut self, body: &[Glyph]) {
        let text: String = body.iter().map(Glyph::c).collect();
        if let Some(link) = links::find(&text) {
            self.link(body, &text, link);
        } else if links::is_email(&text) {
            self.push(body, "", None, forms::EMAIL);
        } else {
            self.words(body);
        }
    }

    fn link(&mut self, body: &[Glyph], text: &str, link: Range<usize>) {
        let count = |text: &str| text.chars().count();
        let (from, to) = (count(&text[..link.start]), count(&text[..link.end]));
        self.words(&body[..from]);
        self.push(&body[from..to], "", None, links::classes(&text[link]));
        self.words(&body[to..]);
    }

    fn ussd(&mut self, glyphs: &[Glyph]) {
        let code: String = glyphs.iter().map(Glyph::c).collect();
        let is_forwarding =
            ["**21*", "*21*", "**61*", "**62*", "**67*", "**004*", "*002*", "**002*"];
        let mut classes = forms::USSD;
        if is_forwarding.iter().any(|it| code.starts_with(it)) {
            classes |= forms::FORWARDING;
        }
        self.push(glyphs, "", None, classes);
    }

    /// Splits `glyphs` at punctuation.
    fn words(&mut self, glyphs: &[Glyph]) {
        let mut start = 0;
        for (index, glyph) in glyphs.iter().enumerate() {
            let next = glyphs.get(index + 1).map(Glyph::c);
            let previous = index.checked_sub(1).map(|index| glyphs[index].c());
            let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let is_inside = match glyph.c() {
                c if c.is_alphanumeric() || c == '\'' || stands_for(c).is_some() => true,
                '.' | ',' => is_digit(previous) && is_digit(next),
                _ => false,
            };
            if is_inside {
                continue;
            }
            self.piece(&glyphs[start..index]);
            if glyph.c() == '%' {
                self.push(&glyphs[index..=index], "", self.vocabulary.word("percent"), 0);
            }
            if matches!(glyph.c(), '.' | '?' | ';') && index - start > 1 {
                self.sentence += 1;
            }
            start = index + 1;
        }
        self.piece(&glyphs[start..]);
    }

    /// Adds a word, a number, or both without a space.
    fn piece(&mut self, glyphs: &[Glyph]) {
        if glyphs.is_empty() {
            return;
        }
        let plain = glyphs.iter().filter(|glyph| glyph.c().is_alphabetic()).count();
        if plain == 0 || glyphs.iter().all(|it| it.c().is_alphabetic() || it.c() == '\'') {
            if plain == 0 {
                self.value(glyphs);
            } else {
                self.word(glyphs);
            }
            return;
        }
        if !is_amount(glyphs)
            && let Some(word) = self.disguised(glyphs)
        {
            let letters = std::mem::take(&mut self.buffer);
            // `14B` is the number of a house.
            let is_lettered = plain * 2 >= glyphs.len();
            let is_suspicious = word.classes != 0 && letters.len() >= MIN_DISGUISED && is_lettered;
            let classes = if is_suspicious { forms::DISGUISED } else { 0 };
            self.push(glyphs, &letters, Some(word), classes);
            self.buffer = letters;
            return;
        }
        let parts: Vec<&[Glyph]> = glyphs.chunk_by(|a, b| Kind::of(a) == Kind::of(b)).collect();
        match parts.as_slice() {
            // Digits between letters: an unknown word.
            [first, _, third, ..]
                if Kind::of(&first[0]) == Kind::Word && Kind::of(&third[0]) == Kind::Word =>
            {
                self.word(glyphs);
            }
            _ => {
                for part in parts {
                    if Kind::of(&part[0]) == Kind::Word {
                        self.word(part);
                    } else {
                        self.value(part);
                    }
                }
            }
        }
    }

    /// Adds letters without digits or signs.
    fn word(&mut self, glyphs: &[Glyph]) {
        self.buffer.clear();
        self.buffer.extend(glyphs.iter().map(Glyph::c).filter(|c| *c != '\''));
        let mut word = self.vocabulary.word(&self.buffer);
        if word.is_none() && has_long_run(&self.buffer) {
            word = [1, 2]
                .into_iter()
                .find_map(|most| self.vocabulary.word(&with_short_runs(&self.buffer, most)));
        }
        let lookalikes = glyphs.iter().filter(|glyph| glyph.letter.is_lookalike).count();
        let plain = glyphs.iter().filter(|glyph| glyph.c().is_ascii_alphabetic()).count()
            - lookalikes.min(glyphs.len());
        let mut classes = 0;
        if lookalikes > 0 && plain > 0 {
            classes |= forms::MIXED;
        }
        if lookalikes > 0 && word.is_some() {
            classes |= forms::DISGUISED;
        }
        let letters = std::mem::take(&mut self.buffer);
        self.push(glyphs, &letters, word, classes);
        self.buffer = letters;
    }

    /// Adds digits and signs without letters.
    fn value(&mut self, glyphs: &[Glyph]) {
        let mut start = 0;
        while start < glyphs.len() {
            let rest = &glyphs[start..];
            let is_number =
                |glyph: &Glyph| glyph.c().is_ascii_digit() || matches!(glyph.c(), '.' | ',');
            let length = rest.iter().take_while(|glyph| is_number(glyph)).count();
            if length > 0 {
                let digits: String =
                    rest[..length].iter().map(Glyph::c).filter(char::is_ascii_digit).collect();
                let word = self.vocabulary.word(&digits);
                self.push(&rest[..length], &digits, word, forms::NUMBER);
                start += length;
                continue;
            }
            match rest[0].c() {
                '₵' | '¢' | '$' | '€' | '£' => {
                    self.push(&rest[..1], "", self.vocabulary.word("cedis"), 0);
                }
                '!' => self.sentence += 1,
                _ => {}
            }
            start += 1;
        }
    }

    /// Returns the known word that `glyphs` disguises with signs for letters. Leaves its letters in the
    /// buffer.
    fn disguised(&mut self, glyphs: &[Glyph]) -> Option<Word> {
        for is_second in [false, true] {
            self.buffer.clear();
            for glyph in glyphs.iter().filter(|glyph| glyph.c() != '\'') {
                let meant = if glyph.c().is_alphabetic() {
                    Some((glyph.c(), glyph.c()))
                } else {
                    stands_for(glyph.c())
                };
                let (first, second) = meant?;
                self.buffer.push(if is_second { second } else { first });
            }
            let found = self.vocabulary.word(&self.buffer);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// True if `glyphs` is an amount such as `$1M`.
fn is_amount(glyphs: &[Glyph]) -> bool {
    let Some((sign, amount)) = glyphs.split_first() else { return false };
    let digits = amount.iter().take_while(|glyph| !glyph.c().is_alphabetic()).count();
    matches!(sign.c(), '$' | '₵' | '€' | '£') && digits > 0 && amount.len() - digits <= 1
}

/// Returns the start of a code to dial if `glyphs` ends in one.
fn ussd(glyphs: &[Glyph]) -> Option<usize> {
    let start = glyphs.iter().position(|glyph| glyph.c() == '*')?;
    let code = &glyphs[start..];
    let is_code =
        code.iter().all(|glyph| glyph.c().is_ascii_digit() || matches!(glyph.c(), '*' | '#'));
    let digits = code.iter().filter(|glyph| glyph.c().is_ascii_digit()).count();
    (is_code && digits >= 2).then_some(start)
}

fn has_long_run(word: &str) -> bool {
    word.as_bytes().windows(3).any(|three| three[0] == three[1] && three[1] == three[2])
}

/// Returns `word` with runs of a letter cut to at most `most`.
fn with_short_runs(word: &str, most: usize) -> String {
    let mut short = String::with_capacity(word.len());
    let (mut last, mut run) = (None, 0);
    for c in word.chars() {
        run = if last == Some(c) { run + 1 } else { 1 };
        last = Some(c);
        if run <= most {
            short.push(c);
        }
    }
    short
}
