//! Replacing of phrases, and removal of sentences.

use super::pieces::{Piece, begins_sentence, capitalised, ends_sentence, join, split, tidy};

/// Phrases with their replacements; an empty one removes the phrase. Both are in lower case except names.
pub(super) type Table = [(&'static str, &'static str)];

/// Replaces all phrases of a table, in any case.
pub(super) fn replace(text: &str, table: &Table) -> String {
    replace_where(text, table, |_, _| true)
}

/// Replaces phrases only if a word follows in the same sentence: `who you are.` cannot be contracted.
pub(super) fn contract(text: &str, table: &Table) -> String {
    replace_where(text, table, |pieces, end| {
        let is_space = matches!(pieces.get(end), Some(Piece::Space(space)) if space == " ");
        is_space && pieces.get(end + 1).is_some_and(Piece::is_word)
    })
}

fn replace_where(text: &str, table: &Table, may: impl Fn(&[Piece], usize) -> bool) -> String {
    let mut pieces = split(text);
    let mut at = 0;
    while at < pieces.len() {
        let found = table.iter().find_map(|(phrase, instead)| {
            let end = end_of(&pieces, at, phrase)?;
            may(&pieces, end).then_some((end, *instead))
        });
        match found {
            Some((end, instead)) => {
                let length = put(&mut pieces, at, end, instead);
                at += length;
            }
            None => at += 1,
        }
    }
    tidy(&join(&pieces))
}

/// Removes phrases that are whole sentences.
pub(super) fn drop_sentences(text: &str, phrases: &[&str]) -> String {
    let mut pieces = split(text);
    let mut at = 0;
    while at < pieces.len() {
        let found = phrases.iter().find_map(|phrase| {
            let end = end_of(&pieces, at, phrase)?;
            let is_alone = begins_sentence(&pieces, at)
                && (ends_sentence(&pieces, end) || pieces[end].is_mark_of(","));
            is_alone.then_some(end)
        });
        match found {
            Some(mut end) => {
                let is_mark = |piece: &Piece| matches!(piece, Piece::Mark(_));
                while pieces.get(end).is_some_and(is_mark) {
                    end += 1;
                }
                put(&mut pieces, at, end, "");
            }
            None => at += 1,
        }
    }
    tidy(&join(&pieces))
}

/// Returns the end of the phrase if it begins at `at`.
pub(super) fn end_of(pieces: &[Piece], at: usize, phrase: &str) -> Option<usize> {
    let mut end = at;
    for (count, word) in phrase.split(' ').enumerate() {
        if count > 0 {
            if !matches!(pieces.get(end), Some(Piece::Space(space)) if space == " ") {
                return None;
            }
            end += 1;
        }
        let Some(Piece::Word(found)) = pieces.get(end) else { return None };
        if !is_same(found, word) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

fn is_same(found: &str, word: &str) -> bool {
    let plain = |c: char| if c == '’' { '\'' } else { c.to_ascii_lowercase() };
    found.chars().map(plain).eq(word.chars().map(|c| c.to_ascii_lowercase()))
}

/// Replaces `at..end` by a phrase in the same case. Returns its number of pieces.
fn put(pieces: &mut Vec<Piece>, at: usize, end: usize, instead: &str) -> usize {
    let is_capital = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
    let was_capital = matches!(&pieces[at], Piece::Word(first) if is_capital(first));
    let words = pieces[at..end].iter().filter_map(|piece| match piece {
        Piece::Word(word) => Some(word.as_str()),
        _ => None,
    });
    let mut words = words.peekable();
    let is_shouted = words.peek().is_some_and(|first| first.chars().count() > 1)
        && words.all(|word| word.chars().all(|c| !c.is_lowercase()));
    if instead.is_empty() {
        return remove(pieces, at, end, was_capital);
    }
    let instead = if is_shouted {
        instead.to_uppercase()
    } else if was_capital {
        capitalised(instead)
    } else {
        instead.to_owned()
    };
    let instead = split(&instead);
    let length = instead.len();
    pieces.splice(at..end, instead);
    length
}

/// Removes `at..end`, with the comma and the space after it. A new beginning of the sentence gets the
/// capital.
fn remove(pieces: &mut Vec<Piece>, at: usize, end: usize, was_capital: bool) -> usize {
    let mut end = end;
    let begins = begins_sentence(pieces, at);
    if begins && pieces.get(end).is_some_and(|piece| piece.is_mark_of(",:")) {
        end += 1;
    }
    let is_apart = at == 0 || matches!(pieces[at - 1], Piece::Space(_));
    if is_apart && matches!(pieces.get(end), Some(Piece::Space(space)) if space == " ") {
        end += 1;
    }
    pieces.drain(at..end);
    if begins
        && was_capital
        && let Some(Piece::Word(word)) = pieces.get_mut(at)
    {
        *word = capitalised(word);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_replaced_as_they_were_written() {
        let table: &Table = &[("thank you", "thanks"), ("please", "pls")];
        let text = "Thank you. PLEASE call; please{{name}} thank\nyou, thank you";
        assert_eq!(replace(text, table), "Thanks. PLS call; pls{{name}} thank\nyou, thanks");
    }

    #[test]
    fn removing_a_phrase_leaves_a_sentence() {
        let table: &Table = &[("please note that", ""), ("really", "")];
        let text = "Please note that your order is really here. please note that it waits, really.";
        assert_eq!(replace(text, table), "Your order is here. it waits.");
        assert_eq!(replace("Please note that, {{name}} is here", table), "{{name}} is here");
    }

    #[test]
    fn only_whole_sentences_are_left_out() {
        let phrases = ["thank you", "dear customer"];
        let text = "Dear customer, your order is here. Thank you for waiting. Thank you!";
        assert_eq!(drop_sentences(text, &phrases), "Your order is here. Thank you for waiting.");
    }

    #[test]
    fn nothing_is_contracted_at_the_end_of_a_sentence() {
        let table: &Table = &[("you are", "you're")];
        assert_eq!(
            contract("You are late. Come as you are.", table),
            "You're late. Come as you are."
        );
    }
}
