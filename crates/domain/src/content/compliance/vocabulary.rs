//! Words that the rules use, with their classes.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::letters::Letter;

/// Set of classes, one bit for each.
pub(super) type Classes = u128;
/// Identifier of a known word.
pub(super) type WordId = u16;

/// Known word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Word {
    pub(super) id: WordId,
    pub(super) classes: Classes,
}

/// Words of a phrase after the second, and classes of the whole.
#[derive(Debug)]
pub(super) struct Phrase {
    pub(super) rest: Vec<WordId>,
    pub(super) classes: Classes,
}

/// All words, phrases and classes.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: HashMap<Box<str>, Word, BuildHasherDefault<Fnv>>,
    /// Phrases by their first two words.
    phrases: HashMap<(WordId, WordId), Vec<Phrase>, BuildHasherDefault<Fnv>>,
    classes: Vec<&'static str>,
}

impl Vocabulary {
    /// Parses a vocabulary: the name of each class in brackets, followed by its words and phrases.
    pub(super) fn new(forms: &[&'static str], words: &'static str) -> Self {
        let mut vocabulary = Self::default();
        for class in forms {
            vocabulary.class(class);
        }
        let mut classes = 0;
        for line in words.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => classes = vocabulary.class(name),
                None => line.split(',').for_each(|entry| vocabulary.add(entry.trim(), classes)),
            }
        }
        vocabulary
    }

    /// Returns the bit of a class. Adds the class if it is new.
    fn class(&mut self, name: &'static str) -> Classes {
        let known = self.classes.iter().position(|class| *class == name);
        let index = known.unwrap_or_else(|| {
            self.classes.push(name);
            self.classes.len() - 1
        });
        bit(index)
    }

    fn add(&mut self, entry: &str, classes: Classes) {
        let (entry, has_forms) = match entry.strip_suffix('+') {
            Some(entry) => (entry, true),
            None => (entry, false),
        };
        let words: Vec<&str> = entry.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [word] => {
                let forms = if has_forms { forms(word) } else { vec![(*word).to_owned()] };
                for form in forms {
                    self.word_mut(&form).classes |= classes;
                }
            }
            [first, second, rest @ ..] => {
                let firsts = if has_forms { forms(first) } else { vec![(*first).to_owned()] };
                let second = self.intern(second);
                let rest: Vec<WordId> = rest.iter().map(|word| self.intern(word)).collect();
                for first in firsts {
                    let first = self.intern(&first);
                    let phrases = self.phrases.entry((first, second)).or_default();
                    phrases.push(Phrase { rest: rest.clone(), classes });
                }
            }
        }
    }

    /// Returns the identifier of a word. Adds the word if it is new.
    pub(super) fn intern(&mut self, word: &str) -> WordId {
        self.word_mut(word).id
    }

    fn word_mut(&mut self, word: &str) -> &mut Word {
        let next = WordId::try_from(self.words.len()).unwrap_or(WordId::MAX);
        self.words.entry(folded(word).into()).or_insert(Word { id: next, classes: 0 })
    }

    /// Returns the known word that is written `folded`.
    pub(super) fn word(&self, folded: &str) -> Option<Word> {
        self.words.get(folded).copied()
    }

    /// Returns the phrases that begin with two words.
    pub(super) fn phrases(&self, first: WordId, second: WordId) -> &[Phrase] {
        self.phrases.get(&(first, second)).map_or(&[], Vec::as_slice)
    }

    /// Returns the bit of the class of that name; `None` if it is unknown.
    pub(super) fn class_named(&self, name: &str) -> Option<Classes> {
        self.classes.iter().position(|class| *class == name).map(bit)
    }

    /// Returns the number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the number of classes.
    #[cfg(test)]
    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }
}

/// Returns the bit of the class at `index`. A test ensures that all classes have one.
fn bit(index: usize) -> Classes {
    u32::try_from(index).ok().and_then(|index| (1 as Classes).checked_shl(index)).unwrap_or(0)
}

/// Returns a word in the form in which texts are compared with it.
fn folded(word: &str) -> String {
    word.chars().filter_map(Letter::of).map(|letter| letter.folded).filter(|c| *c != '\'').collect()
}

/// Returns a word with its usual endings. Some of these forms do not exist, which does no harm.
fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned(), format!("{word}s")];
    if let Some(stem) = word.strip_suffix('e') {
        forms.extend([format!("{word}d"), format!("{stem}ing"), format!("{stem}in")]);
    } else if let Some(stem) = word.strip_suffix('y') {
        forms.extend([format!("{stem}ies"), format!("{stem}ied"), format!("{word}ing")]);
    } else {
        forms.extend(["es", "ed", "ing", "in"].map(|ending| format!("{word}{ending}")));
    }
    forms
}

/// Hash of Fowler, Noll and Vo: fast for short words, and safe as all words are built in.
#[derive(Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_forms_and_phrases_belong_to_their_first_word() {
        let words = "# Demands\n[ask]\nverify+, send\ngive me\n\n[money]\nsend";
        let vocabulary = Vocabulary::new(&["link"], words);

        let ask = vocabulary.class_named("ask").unwrap();
        assert_eq!(vocabulary.word("verifying").unwrap().classes, ask);
        assert_eq!(vocabulary.word("send").unwrap().classes.count_ones(), 2);
        let give = vocabulary.word("give").unwrap();
        assert_eq!(
            (give.classes, {
                let me = vocabulary.word("me").unwrap();
                vocabulary.phrases(give.id, me.id).len()
            }),
            (0, 1)
        );
        assert!(vocabulary.word("verifys").is_none_or(|word| word.classes == ask));
        assert_eq!(vocabulary.class_named("nothing"), None);
    }
}
