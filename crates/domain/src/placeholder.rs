//! Placeholders: `{{name}}` in a text stands for a value given when the text is sent.
//!
//! A name is made of ASCII letters, digits, `_`, `.` and `-`, and spaces around it are ignored.
//! Braces that hold anything else are ordinary text.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

/// The placeholders that were given no value, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("has no value for {}", braced(.0))]
pub struct MissingVariables(pub Vec<String>);

/// The distinct names in `text`, in the order in which they first appear.
pub fn names(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    pieces(text)
        .filter_map(|piece| match piece {
            Piece::Name(name) => seen.insert(name).then_some(name),
            Piece::Text(_) => None,
        })
        .collect()
}

/// Whether `text` has double braces that belong to no placeholder: a misspelt one, most likely.
pub fn has_stray_braces(text: &str) -> bool {
    pieces(text).any(|piece| match piece {
        Piece::Text(literal) => literal.contains("{{") || literal.contains("}}"),
        Piece::Name(_) => false,
    })
}

/// `text` with every placeholder replaced by its value. A value is taken literally: placeholders
/// inside it are not replaced.
///
/// Fails with all the names that have no value, not only the first.
pub fn fill(text: &str, variables: &BTreeMap<String, String>) -> Result<String, MissingVariables> {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(literal) => filled.push_str(literal),
            Piece::Name(name) => match variables.get(name) {
                Some(value) => filled.push_str(value),
                None => return Err(missing(text, variables)),
            },
        }
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

/// `text` cut into literal text and placeholders.
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

/// How many bytes of `text`, which starts with no placeholder, come before the next one or before
/// the end.
fn literal_length(text: &str) -> usize {
    let braces = text.match_indices('{').map(|(at, _)| at);
    braces
        .skip_while(|&at| at == 0)
        .find(|&at| leading_placeholder(&text[at..]).is_some())
        .unwrap_or(text.len())
}

/// The name of the placeholder that `text` starts with, and the text after it.
fn leading_placeholder(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("{{")?.trim_start_matches(' ');
    let end = inner.find(|c| !is_name_character(c))?;
    let (name, after) = inner.split_at(end);
    let after = after.trim_start_matches(' ').strip_prefix("}}")?;
    (!name.is_empty()).then_some((name, after))
}

/// How many bytes the placeholder takes that `text` starts with; `None` if it starts with none.
pub(crate) fn leading_length(text: &str) -> Option<usize> {
    leading_placeholder(text).map(|(_, after)| text.len() - after.len())
}

/// Whether a placeholder may have that name.
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
            assert_eq!(fill(text, &variables(&[("a", "1")])), Ok(text.to_owned()));
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
            fill("Hi {{name}}, {{ code }}!", &variables(&[("name", "Ama"), ("code", "7")]));

        assert_eq!(filled, Ok("Hi Ama, 7!".to_owned()));
    }

    #[test]
    fn the_innermost_braces_hold_the_placeholder() {
        let values = variables(&[("a", "1")]);

        assert_eq!(fill("{{{a}}}", &values), Ok("{1}".to_owned()));
        assert_eq!(fill("{{b {{a}} }}", &values), Ok("{{b 1 }}".to_owned()));
    }

    #[test]
    fn values_are_not_expanded_again() {
        let filled = fill("{{a}}{{b}}", &variables(&[("a", "{{b}}"), ("b", "{{a}}")]));

        assert_eq!(filled, Ok("{{b}}{{a}}".to_owned()));
    }

    #[test]
    fn every_missing_value_is_named_once() {
        let error = fill("{{a}} {{b}} {{c}} {{a}}", &variables(&[("b", "")])).unwrap_err();

        assert_eq!(error.0, ["a", "c"]);
        assert_eq!(error.to_string(), "has no value for {{a}}, {{c}}");
    }

    #[test]
    fn unclosed_braces_take_linear_time() {
        let text = "{{a ".repeat(100_000) + &"{".repeat(400_000);

        assert!(names(&text).is_empty());
    }

    proptest! {
        #[test]
        fn text_without_braces_stays_the_same(text in "[^{]*") {
            prop_assert_eq!(fill(&text, &BTreeMap::new()), Ok(text));
        }

        #[test]
        fn a_text_is_filled_once_all_its_names_have_values(text in "[{} a-c.é]*") {
            let values = names(&text).iter().map(|n| ((*n).to_owned(), "x".to_owned())).collect();

            prop_assert!(fill(&text, &values).is_ok());
            prop_assert_eq!(fill(&text, &BTreeMap::new()).is_ok(), names(&text).is_empty());
        }

        #[test]
        fn a_name_as_its_own_value_changes_only_spaces(text in "[{} a-c]*") {
            let values = names(&text).iter()
                .map(|name| ((*name).to_owned(), format!("{{{{{name}}}}}")))
                .collect();
            let spaceless = |text: &str| text.replace(' ', "");

            prop_assert_eq!(fill(&text, &values).map(|t| spaceless(&t)), Ok(spaceless(&text)));
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = (names(&text).len(), fill(&text, &BTreeMap::new()).is_ok());
        }
    }
}
