//! Placeholders: `{{name}}` in a text stands for a value given when the text is sent.
//!
//! A name consists of ASCII letters, digits, `_`, `.` and `-`, and spaces around it are ignored.
//! Braces that hold anything else are ordinary text.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use domain::shared::placeholder::{fill, names};
//!
//! let values = BTreeMap::from([("name".to_owned(), "Ama".to_owned())]);
//! assert_eq!(fill("Hello {{ name }}!", &values, 100).unwrap(), "Hello Ama!");
//! assert_eq!(names("Hello {{ name }}!"), ["name"]);
//! ```

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

/// Reasons for which a text cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unfillable {
    /// Some placeholders have no value.
    #[error(transparent)]
    Missing(#[from] MissingVariables),
    /// The filled text would have more characters than this.
    #[error("must have at most {0} characters")]
    TooLong(usize),
}

/// Placeholders without a value, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("has no value for {}", braced(.0))]
pub struct MissingVariables(pub Vec<String>);

/// Returns the distinct names in `text`, in the order in which they first appear.
pub fn names(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    pieces(text)
        .filter_map(|piece| match piece {
            Piece::Name(name) => seen.insert(name).then_some(name),
            Piece::Text(_) => None,
        })
        .collect()
}

/// True if `text` has at least `least` characters of its own that are not white space.
pub fn has_fixed(text: &str, least: usize) -> bool {
    let literals = pieces(text).filter_map(|piece| match piece {
        Piece::Text(literal) => Some(literal),
        Piece::Name(_) => None,
    });
    let fixed = literals.flat_map(str::chars).filter(|c| !c.is_whitespace());
    fixed.take(least).count() == least
}

/// True if `text` has double braces that belong to no placeholder, most likely a misspelt one.
pub fn has_stray_braces(text: &str) -> bool {
    pieces(text).any(|piece| match piece {
        Piece::Text(literal) => literal.contains("{{") || literal.contains("}}"),
        Piece::Name(_) => false,
    })
}

/// Returns `text` with every placeholder replaced by its value. A value is taken literally:
/// placeholders inside it are not replaced.
///
/// Stops at `longest` characters: a short request could otherwise fill all memory. Fails with all
/// the names that have no value, not only the first.
pub fn fill(
    text: &str,
    variables: &BTreeMap<String, String>,
    longest: usize,
) -> Result<String, Unfillable> {
    let mut filled = String::with_capacity(text.len().min(longest));
    let mut room = longest;
    for piece in pieces(text) {
        let piece = match piece {
            Piece::Text(literal) => literal,
            Piece::Name(name) => match variables.get(name) {
                Some(value) => value,
                None => return Err(missing(text, variables).into()),
            },
        };
        room = room.checked_sub(piece.chars().count()).ok_or(Unfillable::TooLong(longest))?;
        filled.push_str(piece);
    }
    Ok(filled)
}

fn missing(text: &str, variables: &BTreeMap<String, String>) -> MissingVariables {
    let without_value = names(text).into_iter().filter(|name| !variables.contains_key(*name));
    MissingVariables(without_value.map(str::to_owned).collect())
}

fn braced(names: &[String]) -> String {
    names.iter().map(|name| format!("{{{{{name}}}}}")).collect::<Vec<_>>().join(", ")
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// Cuts `text` into literal text and placeholders.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = leading_placeholder(rest) {
            rest = after;
            return Some(Piece::Name(name));
        }
        let (literal, after) = rest.split_at(literal_length(rest));
        rest = after;
        Some(Piece::Text(literal))
    })
}

/// Number of bytes of `text`, which starts with no placeholder, before the next one or the end.
fn literal_length(text: &str) -> usize {
    let braces = text.match_indices('{').map(|(at, _)| at);
    braces
        .skip_while(|&at| at == 0)
        .find(|&at| leading_placeholder(&text[at..]).is_some())
        .unwrap_or(text.len())
}

/// Returns the name of the placeholder that `text` starts with, and the text after it.
fn leading_placeholder(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("{{")?.trim_start_matches(' ');
    let end = inner.find(|c| !is_name_character(c))?;
    let (name, after) = inner.split_at(end);
    let after = after.trim_start_matches(' ').strip_prefix("}}")?;
    (!name.is_empty()).then_some((name, after))
}

/// Number of bytes of the placeholder that `text` starts with; `None` if it starts with none.
pub(crate) fn leading_length(text: &str) -> Option<usize> {
    leading_placeholder(text).map(|(_, after)| text.len() - after.len())
}

/// True if `text` can be the name of a placeholder.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_character)
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Length that no text of these tests exceeds.
    const ANY: usize = 1_000;

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn names_are_distinct_and_in_order() {
        let text = "{{b}} {{ a }} {{b}} {{order.id-2_x}}";

        assert_eq!(names(text), ["b", "a", "order.id-2_x"]);
    }

    #[test]
    fn braces_around_anything_else_are_text() {
        for text in
            ["{{}}", "{{ }}", "{a}", "{{a b}}", "{{a}", "{{é}}", "{{a", "{{", "}}", "{ {a}}"]
        {
            assert!(names(text).is_empty(), "{text}");
            assert_eq!(fill(text, &variables(&[("a", "1")]), ANY), Ok(text.to_owned()));
        }
    }

    #[test]
    fn double_braces_around_anything_but_a_name_are_stray() {
        for text in ["{{a b}}", "{{first name}} {{a}}", "{{}}", "{{a", "a}}", "{{b {{a}} }}"] {
            assert!(has_stray_braces(text), "{text}");
        }
        for text in ["", "{a}", "{{a}}", "{{ a }}{{b}}", "{{{a}}}", "{ {"] {
            assert!(!has_stray_braces(text), "{text}");
        }
    }

    #[test]
    fn values_replace_placeholders() {
        let filled =
            fill("Hi {{name}}, {{ code }}!", &variables(&[("name", "Ama"), ("code", "7")]), ANY);

        assert_eq!(filled, Ok("Hi Ama, 7!".to_owned()));
    }

    #[test]
    fn the_innermost_braces_hold_the_placeholder() {
        let values = variables(&[("a", "1")]);

        assert_eq!(fill("{{{a}}}", &values, ANY), Ok("{1}".to_owned()));
        assert_eq!(fill("{{b {{a}} }}", &values, ANY), Ok("{{b 1 }}".to_owned()));
    }

    #[test]
    fn values_are_not_expanded_again() {
        let filled = fill("{{a}}{{b}}", &variables(&[("a", "{{b}}"), ("b", "{{a}}")]), ANY);

        assert_eq!(filled, Ok("{{b}}{{a}}".to_owned()));
    }

    #[test]
    fn every_missing_value_is_named_once() {
        let error = fill("{{a}} {{b}} {{c}} {{a}}", &variables(&[("b", "")]), ANY).unwrap_err();

        let missing = MissingVariables(vec!["a".to_owned(), "c".to_owned()]);
        assert_eq!(error, Unfillable::Missing(missing));
        assert_eq!(error.to_string(), "has no value for {{a}}, {{c}}");
    }

    #[test]
    fn a_repeated_value_is_not_copied_beyond_the_longest_length() {
        let text = "{{a}}".repeat(100_000);
        let value = "x".repeat(500_000);

        let filled = fill(&text, &variables(&[("a", value.as_str())]), 500_000);

        assert_eq!(filled, Err(Unfillable::TooLong(500_000)));
    }

    #[test]
    fn unclosed_braces_take_linear_time() {
        let text = "{{a ".repeat(100_000) + &"{".repeat(400_000);

        assert!(names(&text).is_empty());
    }

    proptest! {
        #[test]
        fn text_without_braces_stays_the_same(text in "[^{]*") {
            prop_assert_eq!(fill(&text, &BTreeMap::new(), text.len()), Ok(text));
        }

        #[test]
        fn a_text_is_filled_once_all_its_names_have_values(text in "[{} a-c.é]*") {
            let values = names(&text).iter().map(|n| ((*n).to_owned(), "x".to_owned())).collect();

            prop_assert!(fill(&text, &values, text.len()).is_ok());
            prop_assert_eq!(fill(&text, &BTreeMap::new(), text.len()).is_ok(), names(&text).is_empty());
        }

        #[test]
        fn a_filled_text_is_as_long_as_its_pieces_or_refused(
            text in "[{} a-c.é]*|(\\{\\{[ab]\\}\\}){0,20}", a in "[xé]{0,20}", longest in 0..200_usize,
        ) {
            let values = ["a", "b", "c", "."].map(|name| (name.to_owned(), a.clone()));
            let values: BTreeMap<_, _> = values.into();
            let whole = fill(&text, &values, usize::MAX);
            let bounded = fill(&text, &values, longest);

            match whole {
                Ok(whole) if whole.chars().count() > longest => {
                    prop_assert_eq!(bounded, Err(Unfillable::TooLong(longest)));
                }
                Ok(whole) => prop_assert_eq!(bounded, Ok(whole)),
                Err(_) => prop_assert!(bounded.is_err()),
            }
        }

        #[test]
        fn a_name_as_its_own_value_changes_only_spaces(text in "[{} a-c]*") {
            let values = names(&text).iter()
                .map(|name| ((*name).to_owned(), format!("{{{{{name}}}}}")))
                .collect();
            let spaceless = |text: &str| text.replace(' ', "");

            prop_assert_eq!(fill(&text, &values, text.len()).map(|t| spaceless(&t)), Ok(spaceless(&text)));
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = (names(&text).len(), fill(&text, &BTreeMap::new(), text.len()).is_ok());
        }
    }
}
