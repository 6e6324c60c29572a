//! Reasons to reject a written text.

use std::fmt;

use super::{WritingRequest, WrittenText};
use crate::shared::{
    placeholder, sms,
    text::{self, MAX_SUBJECT},
};

/// Reason to reject a text. Its message addresses the writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The text does not have the required form.
    Unreadable,
    /// The text is empty.
    Empty,
    /// The text has control characters.
    ControlCharacters,
    /// The subject is not a single line, or is too long.
    Subject(String),
    /// The text lacks a placeholder.
    Lost(String),
    /// The text has a placeholder that was not requested.
    Invented(String),
    /// The text has double braces outside placeholders.
    StrayBraces,
    /// The text has a blank in brackets for the reader to fill in.
    Blank(String),
    /// The text has a link that the request lacks.
    InventedLink(String),
    /// The text has a number, such as a phone number, that the request lacks.
    InventedNumber(String),
    /// The text exceeds this number of characters.
    TooLong(usize),
    /// The text exceeds this number of parts.
    TooManySegments(u16),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => write!(f, "it is not in the form that was asked for"),
            Self::Empty => write!(f, "it is empty"),
            Self::ControlCharacters => write!(f, "it has control characters"),
            Self::Subject(fault) => write!(f, "its subject {fault}"),
            Self::Lost(name) => write!(f, "it lacks the placeholder {{{{{name}}}}}"),
            Self::Invented(name) => write!(f, "nobody asked for the placeholder {{{{{name}}}}}"),
            Self::StrayBraces => write!(f, "it has double braces that belong to no placeholder"),
            Self::Blank(passage) => write!(f, "{passage} is no placeholder of the request"),
            Self::InventedLink(link) => write!(f, "the request does not have the link {link}"),
            Self::InventedNumber(number) => {
                write!(f, "the request does not have the number {number}")
            }
            Self::TooLong(most) => write!(f, "it has more than {most} characters"),
            Self::TooManySegments(most) => {
                write!(f, "it takes more than {most} parts as a text message")
            }
        }
    }
}

/// Minimum length of a run of digits that identifies something, and is not a count or a year.
const MIN_DIGITS: usize = 5;
/// Maximum length of a blank in brackets.
const MAX_BLANK: usize = 40;
/// Endings of links without a scheme.
const ENDINGS: [&str; 12] =
    [".com", ".org", ".net", ".gh", ".ng", ".ke", ".io", ".co", ".app", ".me", ".ly", ".africa"];

/// Returns every reason to reject a text.
pub(super) fn of(wanted: &WritingRequest, text: &WrittenText) -> Vec<Violation> {
    let message = text.message.as_str();
    let whole = match &text.subject {
        Some(subject) => format!("{subject}\n{message}"),
        None => message.to_owned(),
    };
    let mut violations = Vec::new();
    if message.trim().is_empty() {
        violations.push(Violation::Empty);
    }
    if message.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        violations.push(Violation::ControlCharacters);
    }
    if let Some(fault) = text.subject.as_ref().and_then(|it| text::line(it, MAX_SUBJECT).err()) {
        violations.push(Violation::Subject(fault));
    }
    let (needed, used) = (wanted.placeholders(), placeholder::names(&whole));
    let lost = needed.iter().filter(|name| !used.contains(name));
    violations.extend(lost.map(|name| Violation::Lost((*name).to_owned())));
    let invented = used.iter().filter(|name| !needed.contains(name));
    violations.extend(invented.map(|name| Violation::Invented((*name).to_owned())));
    if placeholder::has_stray_braces(&whole) {
        violations.push(Violation::StrayBraces);
    }
    let source = wanted.source();
    let is_new = |passage: &&str| !source.contains(*passage);
    violations.extend(blanks(&whole).filter(is_new).map(|it| Violation::Blank(it.to_owned())));
    violations.extend(new_links(&whole, source).map(Violation::InventedLink));
    violations.extend(new_numbers(&whole, source).map(Violation::InventedNumber));
    let constraints = wanted.constraints();
    if message.chars().count() > constraints.max_characters() {
        violations.push(Violation::TooLong(constraints.max_characters()));
    }
    if let Some(most) = constraints.max_segments
        && sms::segment(message).segments > most
    {
        violations.push(Violation::TooManySegments(most));
    }
    violations
}

/// Returns blanks such as `[Your name]`, `<date>` and `{code}`.
fn blanks(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().filter_map(|(at, open)| {
        let close = match open {
            '[' => ']',
            '<' => '>',
            '{' => '}',
            _ => return None,
        };
        let rest = &text[at + 1..];
        if open == '{' && (rest.starts_with('{') || text[..at].ends_with('{')) {
            return None;
        }
        let inner = rest.split_once(close)?.0;
        let is_short = inner.chars().count() <= MAX_BLANK;
        let is_wordy = |c: char| c.is_alphanumeric() || " _-'’.".contains(c);
        let has_letter = inner.chars().any(char::is_alphabetic);
        let is_blank = is_short && has_letter && inner.chars().all(is_wordy);
        is_blank.then(|| &text[at..at + inner.len() + 2])
    })
}

/// Returns the links of `text` that `source` lacks.
fn new_links(text: &str, source: &str) -> impl Iterator<Item = String> {
    let known = without_spaces(source);
    let words = placeholder_words(text).into_iter();
    words.filter(move |word| is_link(word) && !known.contains(&without_spaces(word)))
}

/// Returns the words of `text` without surrounding punctuation. Placeholders have no spaces.
fn placeholder_words(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = placeholder::leading_length(rest);
        let (piece, after) = rest.split_at(length.unwrap_or(first.len_utf8()));
        if length.is_some() {
            plain += &piece.replace(' ', "");
        } else {
            plain += piece;
        }
        rest = after;
    }
    let is_around = |c: char| ".,;:!?()[]<>\"'’”“*".contains(c);
    plain.split_whitespace().map(|word| word.trim_matches(is_around).to_owned()).collect()
}

fn is_link(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    word.contains("://")
        || word.starts_with("www.")
        || ENDINGS.iter().any(|ending| host.ends_with(ending) && host.len() > ending.len())
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}

/// Returns the long numbers of `text` that `source` lacks, as digits only.
fn new_numbers(text: &str, source: &str) -> impl Iterator<Item = String> {
    let known: String = source.chars().filter(char::is_ascii_digit).collect();
    let mut found = Vec::new();
    let (mut number, mut gap) = (String::new(), 0);
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            number.push(c);
            gap = 0;
        } else if gap == 0 && !number.is_empty() && matches!(c, ' ' | '-' | '.' | ',') {
            gap = 1;
        } else {
            found.push(std::mem::take(&mut number));
            gap = 0;
        }
    }
    found.into_iter().filter(move |it| it.len() >= MIN_DIGITS && !known.contains(it.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::writing::{Constraints, Rewriting, Style};

    fn violations(source: &str, message: &str) -> Vec<Violation> {
        let (message, style) = (message.to_owned(), Style::Friendly);
        let wanted =
            Rewriting { message: source.to_owned(), style, constraints: Constraints::default() };
        WritingRequest::Rewrite(wanted).violations(&WrittenText { subject: None, message })
    }

    #[test]
    fn a_lost_changed_or_invented_placeholder_is_a_violation() {
        let source = "Hi {{name}}, pay {{ amount }} now";
        assert_eq!(violations(source, "{{amount}} is due, {{ name }}"), []);
        assert_eq!(violations(source, "Pay {{amount}}"), [Violation::Lost("name".into())]);
        let changed = violations(source, "Hi {{Name}}, pay {{amount}}");
        assert_eq!(changed, [Violation::Lost("name".into()), Violation::Invented("Name".into())]);
        let spoilt = violations(source, "Hi {{name}}, pay {{amount}} by {{due date}}");
        assert_eq!(spoilt, [Violation::StrayBraces]);
    }

    #[test]
    fn a_blank_is_a_violation_unless_the_source_has_it() {
        for blank in ["[Your Company]", "<date>", "{name}"] {
            let text = format!("Thank you, {blank}");
            assert_eq!(violations("Thanks", &text), [Violation::Blank(blank.into())]);
            assert_eq!(violations(&text, &text), []);
        }
        assert_eq!(violations("Hi", "1 < 2, 3 > 2 [1] {} {{"), [Violation::StrayBraces]);
    }

    #[test]
    fn an_invented_link_or_long_number_is_a_violation() {
        let source = "Pay 1,250 at https://pay.example.com/{{ code }} or call 024 123 4567";
        let message = "Call 0241234567 or open https://pay.example.com/{{code}}. It is 1250.";
        assert_eq!(violations(source, message), []);
        let message = "Call 0241234568, open evil.com/x, {{code}}";
        let expected = [
            Violation::InventedLink("evil.com/x".into()),
            Violation::InventedNumber("0241234568".into()),
        ];
        assert_eq!(violations(source, message), expected);
        assert_eq!(violations("Hi", "Hi. We open at 10.30 in 2027, e.g. on 12.05"), []);
    }

    #[test]
    fn an_empty_or_oversized_text_is_a_violation() {
        assert_eq!(violations("Hi", " \n"), [Violation::Empty]);
        assert_eq!(violations("Hi", "a\u{7}"), [Violation::ControlCharacters]);
        assert_eq!(violations("Hi", &"a".repeat(10_001)), [Violation::TooLong(10_000)]);
        let constraints = Constraints { max_segments: Some(1), ..Constraints::default() };
        let wanted = Rewriting { message: "Hi".into(), style: Style::Formal, constraints };
        let text = WrittenText { subject: Some("a\nb".into()), message: "a".repeat(161) };
        let found = WritingRequest::Rewrite(wanted).violations(&text);
        assert_eq!(found.len(), 2);
        assert!(matches!(found[..], [Violation::Subject(_), Violation::TooManySegments(1)]));
    }
}
