//! Pieces of a text: words that rules may replace, and parts that they never change.

use crate::shared::placeholder;

/// Piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Letters, and apostrophes between them.
    Word(String),
    /// Spaces or line breaks.
    Space(String),
    /// Any other sign.
    Mark(char),
    /// A placeholder, a link, an address, or anything with digits.
    Kept(String),
}

impl Piece {
    pub(super) fn is_word(&self) -> bool {
        matches!(self, Self::Word(_))
    }

    pub(super) fn is_mark_of(&self, marks: &str) -> bool {
        matches!(self, Self::Mark(mark) if marks.contains(*mark))
    }
}

/// Maximum number of consecutive line breaks.
const MAX_BREAKS: usize = 2;
/// Marks that end a sentence.
pub(super) const ENDS: &str = ".!?";

/// Splits a text into pieces. Joining them restores the text.
pub(super) fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let space = rest.len() - rest.trim_start().len();
        if space > 0 {
            pieces.push(Piece::Space(rest[..space].to_owned()));
            rest = &rest[space..];
            continue;
        }
        let (chunk, after) = rest.split_at(chunk_length(rest));
        split_chunk(chunk, &mut pieces);
        rest = after;
    }
    pieces
}

/// Joins pieces to a text.
pub(super) fn join(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Word(piece) | Piece::Space(piece) | Piece::Kept(piece) => text += piece,
            Piece::Mark(mark) => text.push(*mark),
        }
    }
    text
}

/// Returns the number of bytes before the next space outside placeholders.
fn chunk_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        match placeholder::leading_length(&text[at..]) {
            Some(length) => at += length,
            None if first.is_whitespace() => break,
            None => at += first.len_utf8(),
        }
    }
    at
}

/// Splits a chunk without spaces.
fn split_chunk(chunk: &str, pieces: &mut Vec<Piece>) {
    let core = chunk.trim_start_matches(is_opening).trim_end_matches(is_closing);
    if is_kept(core) {
        let before = chunk.len() - chunk.trim_start_matches(is_opening).len();
        pieces.extend(chunk[..before].chars().map(Piece::Mark));
        pieces.push(Piece::Kept(core.to_owned()));
        pieces.extend(chunk[before + core.len()..].chars().map(Piece::Mark));
        return;
    }
    let mut rest = chunk;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(length) = placeholder::leading_length(rest) {
            pieces.push(Piece::Kept(rest[..length].to_owned()));
            length
        } else if first.is_alphabetic() {
            let length = word_length(rest);
            pieces.push(Piece::Word(rest[..length].to_owned()));
            length
        } else {
            pieces.push(Piece::Mark(first));
            first.len_utf8()
        };
        rest = &rest[length..];
    }
}

fn is_opening(c: char) -> bool {
    "(\"'“‘[<".contains(c)
}

fn is_closing(c: char) -> bool {
    ".,;:!?)\"'’”]>".contains(c)
}

/// True if it contains more than words and placeholders.
fn is_kept(core: &str) -> bool {
    let mut rest = core;
    let mut before = None;
    let mut has_placeholder = false;
    let mut is_kept = false;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = placeholder::leading_length(rest) {
            has_placeholder = true;
            before = None;
            rest = &rest[length..];
            continue;
        }
        rest = &rest[first.len_utf8()..];
        let joins = ".:/".contains(first)
            && rest.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '{');
        is_kept |= first.is_ascii_digit() || "@#_*\\=&%".contains(first);
        is_kept |= joins && (before.is_some_and(char::is_alphanumeric) || has_placeholder);
        before = Some(first);
    }
    is_kept
}

fn word_length(text: &str) -> usize {
    let is_apostrophe = |c: char| matches!(c, '\'' | '’');
    let end = text.find(|c: char| !c.is_alphabetic() && !is_apostrophe(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(is_apostrophe).len()
}

/// Removes repeated spaces, spaces before a comma or a full stop, and repeated marks.
pub(super) fn tidy(text: &str) -> String {
    let pieces = split(text.trim());
    let mut tidied: Vec<Piece> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Space(_) if tidied.is_empty() => {}
            Piece::Space(space) => {
                if let Some(Piece::Space(last)) = tidied.last_mut() {
                    *last = plain_space(&format!("{last}{space}"));
                } else {
                    tidied.push(Piece::Space(plain_space(space)));
                }
            }
            Piece::Mark(mark) => {
                let is_after_space = matches!(tidied.last(), Some(Piece::Space(it)) if it == " ");
                if is_after_space && ",;:!?.".contains(*mark) && is_before_space(&pieces, at) {
                    tidied.pop();
                }
                push_mark(*mark, &mut tidied);
            }
            other => tidied.push(other.clone()),
        }
    }
    while tidied.last().is_some_and(|it| matches!(it, Piece::Space(_)) || it.is_mark_of(",;")) {
        tidied.pop();
    }
    join(&tidied)
}

/// True if a space or the end follows the mark and its neighbouring punctuation. A directly following text
/// may belong to the mark, as in `.gh`.
fn is_before_space(pieces: &[Piece], at: usize) -> bool {
    let is_punctuation = |piece: &Piece| matches!(piece, Piece::Mark(mark) if is_closing(*mark));
    let next = pieces[at..].iter().find(|piece| !is_punctuation(piece));
    next.is_none_or(|piece| matches!(piece, Piece::Space(_)))
}

/// Adds a mark, unless it repeats the last one, or is a comma beside the end of a sentence.
fn push_mark(mark: char, tidied: &mut Vec<Piece>) {
    let last = match tidied.last() {
        Some(Piece::Mark(last)) => Some(*last),
        _ => None,
    };
    match (last, mark) {
        (Some('!' | '?'), '!' | '?' | ',') | (Some(','), ',') => {}
        (Some(','), '.' | '!' | '?') => {
            tidied.pop();
            tidied.push(Piece::Mark(mark));
        }
        (None, ',') if tidied.is_empty() => {}
        _ => tidied.push(Piece::Mark(mark)),
    }
}

fn plain_space(space: &str) -> String {
    match space.matches('\n').count() {
        0 => " ".to_owned(),
        breaks => "\n".repeat(breaks.min(MAX_BREAKS)),
    }
}

/// True if a text is readable and has the placeholders of another. Removing text between braces can join
/// them.
pub(super) fn keeps_placeholders(text: &str, other: &str) -> bool {
    let is_readable = |piece: &Piece| matches!(piece, Piece::Word(_) | Piece::Kept(_));
    split(text).iter().any(is_readable)
        && placeholder::names(text) == placeholder::names(other)
        && placeholder::has_stray_braces(text) == placeholder::has_stray_braces(other)
}

/// True if the piece at `at` begins a sentence.
pub(super) fn begins_sentence(pieces: &[Piece], at: usize) -> bool {
    for piece in pieces[..at].iter().rev() {
        match piece {
            Piece::Space(space) if space.contains('\n') => return true,
            Piece::Space(_) => {}
            other => return other.is_mark_of(ENDS),
        }
    }
    true
}

/// True if a sentence ends at `at`.
pub(super) fn ends_sentence(pieces: &[Piece], at: usize) -> bool {
    match pieces.get(at) {
        None => true,
        Some(Piece::Space(space)) => space.contains('\n'),
        Some(piece) => piece.is_mark_of(ENDS),
    }
}

/// Capitalises the first letter if the text begins with a word.
pub(super) fn capitalised(text: &str) -> String {
    let is_word = split(text).first().is_some_and(Piece::is_word);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if is_word => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(text: &str) -> Vec<String> {
        let pieces = split(text).into_iter();
        pieces.filter_map(|it| if let Piece::Kept(kept) = it { Some(kept) } else { None }).collect()
    }

    #[test]
    fn placeholders_links_and_figures_are_kept_as_they_are() {
        let text = "Hi{{name}}, pay GHS50.20 ({{ amount }}). See https://x.example/please?a={{ b }}, \
                    dial *170#, mail please@kindly.gh or shop.com.gh/and!";
        let expected = [
            "{{name}}",
            "GHS50.20",
            "{{ amount }}",
            "https://x.example/please?a={{ b }}",
            "*170#",
            "please@kindly.gh",
            "shop.com.gh/and",
        ];
        assert_eq!(kept(text), expected);
    }

    #[test]
    fn a_tidy_text_has_no_signs_too_many() {
        let untidy = " Hello ,  Ama !!! \t It is here ?!\n\n\n\nBye ,, ";
        assert_eq!(tidy(untidy), "Hello, Ama! It is here?\n\nBye");
    }

    proptest! {
        #[test]
        fn the_pieces_of_a_text_are_the_text(text in r"[{} a-c./@'’1é\n]*|\PC*") {
            prop_assert_eq!(join(&split(&text)), text);
        }

        #[test]
        fn a_tidy_text_stays_as_it_is(text in r"[{} a-c.,!1\n]*") {
            let tidied = tidy(&text);
            prop_assert_eq!(tidy(&tidied), tidied);
        }
    }
}
