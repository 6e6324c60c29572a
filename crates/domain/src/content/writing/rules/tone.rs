//! Styles applied to texts.

use super::{
    phrases::{contract, replace},
    pieces::{Piece, capitalised, join, split, tidy},
    tables,
};
use crate::content::writing::Style;

/// Applies a style to a text.
pub(super) fn apply(text: &str, style: Style) -> String {
    match style {
        Style::Professional => professional(text),
        Style::Formal => {
            let text = replace(&professional(text), tables::CONTRACTED);
            replace(&text, tables::FORMAL)
        }
        Style::Friendly => {
            let text = replace(text, tables::WORDY);
            contract(&replace(&text, tables::FRIENDLY), tables::CONTRACTIONS)
        }
        Style::Urgent => urgent(&replace(&replace(text, tables::WORDY), tables::HEDGES)),
    }
}

fn professional(text: &str) -> String {
    let text = replace(&replace(&without_pictures(text), tables::CHAT), tables::WORDY);
    let pieces = split(&text);
    let calm = pieces.into_iter().map(|piece| match piece {
        Piece::Mark('!') => Piece::Mark('.'),
        other => other,
    });
    tidy(&join(&calm.collect::<Vec<_>>()))
}

/// Removes emoji and similar pictures.
fn without_pictures(text: &str) -> String {
    let is_picture = |c: char| {
        matches!(c,
            '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '\u{200d}'
            | '\u{20e3}' | '\u{2b50}')
    };
    let pieces = split(text).into_iter();
    let rest = pieces.filter(|it| !matches!(it, Piece::Mark(mark) if is_picture(*mark)));
    tidy(&join(&rest.collect::<Vec<_>>()))
}

/// Marks the text as important after the salutation.
fn urgent(text: &str) -> String {
    let pieces = split(text);
    let first = pieces.iter().find_map(|piece| match piece {
        Piece::Word(word) => Some(word.to_ascii_lowercase()),
        _ => None,
    });
    let is_stated = first.is_some_and(|word| tables::IMPORTANT.contains(&word.as_str()));
    if is_stated {
        return text.to_owned();
    }
    let (salutation, rest) = pieces.split_at(salutation_length(&pieces));
    let mut important = vec![Piece::Word("important".to_owned()), Piece::Mark(':')];
    important.push(Piece::Space(" ".to_owned()));
    let is_clause = salutation.iter().any(|piece| piece.is_mark_of(","))
        && salutation.last() == Some(&Piece::Space(" ".to_owned()));
    if !is_clause && let Some(Piece::Word(word)) = important.first_mut() {
        *word = capitalised(word);
    }
    join(&[salutation, &important, rest].concat())
}

/// Returns the number of pieces of the salutation: `Dear {{name}}, `.
fn salutation_length(pieces: &[Piece]) -> usize {
    let is_salutation = matches!(pieces.first(), Some(Piece::Word(first))
        if tables::SALUTATIONS.contains(&first.to_ascii_lowercase().as_str()));
    let head = &pieces[..pieces.len().min(tables::LONGEST_SALUTATION)];
    match head.iter().position(|piece| piece.is_mark_of(",!.")) {
        Some(end) if is_salutation && matches!(pieces.get(end + 1), Some(Piece::Space(_))) => {
            end + 2
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_has_words_of_its_own() {
        let text = "Hey {{name}}!! Pls don't be late \u{1f600} we can't wait, u know";
        assert_eq!(
            apply(text, Style::Professional),
            "Hello {{name}}. Please don't be late we can't wait, you know"
        );
        assert_eq!(
            apply(text, Style::Formal),
            "Hello {{name}}. Please do not be late we cannot wait, you know"
        );
        let stiff =
            "Dear {{name}}, kindly note that we are closed. Thank you. You will receive it.";
        assert_eq!(
            apply(stiff, Style::Friendly),
            "Hi {{name}}, we're closed. Thanks. You'll receive it."
        );
        assert_eq!(
            apply(
                "Hello {{name}}, your bill is due. Pay at your earliest convenience.",
                Style::Urgent
            ),
            "Hello {{name}}, important: your bill is due. Pay as soon as possible."
        );
        assert_eq!(apply("Alert: fire", Style::Urgent), "Alert: fire");
        assert_eq!(apply("{{name}} is late", Style::Urgent), "Important: {{name}} is late");
    }
}
