//! Why a text must not be handed out.

use std::fmt;

use super::{WritingRequest, WrittenText};
use crate::shared::{
    placeholder, sms,
    text::{self, MAX_SUBJECT},
};

/// Why a text must not be handed out. Its words are for whoever wrote the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// It did not come in the form that was asked for.
    Unreadable,
    /// It says nothing.
    Empty,
    /// It has characters that no text may have.
    ControlCharacters,
    /// The subject is no line of its own, or too long.
    Subject(String),
    /// It lacks a placeholder.
    Lost(String),
    /// It has a placeholder that nobody asked for.
    Invented(String),
    /// It has double braces that belong to no placeholder.
    StrayBraces,
    /// It has something in brackets for somebody to fill in.
    Blank(String),
    /// It has a link that nobody gave.
    InventedLink(String),
    /// It has a number, such as that of a phone, that nobody gave.
    InventedNumber(String),
    /// It has more characters than it may have.
    TooLong(usize),
    /// It takes more parts than it may take.
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

/// The shortest run of digits that is a number of something, and not a count or a year.
const MIN_DIGITS: usize = 5;
/// The longest passage in brackets that is taken for a blank.
const MAX_BLANK: usize = 40;
/// How links end that are written without a scheme.
const ENDINGS: [&str; 12] =
    [".com", ".org", ".net", ".gh", ".ng", ".ke", ".io", ".co", ".app", ".me", ".ly", ".africa"];

/// Everything because of which a text must not be handed out.
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

/// Passages such as `[Your name]`, `<date>` and `{code}`.
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

/// The links of `text` that `source` does not have.
fn new_links(text: &str, source: &str) -> impl Iterator<Item = String> {
    let known = without_spaces(source);
    let words = placeholder_words(text).into_iter();
    words.filter(move |word| is_link(word) && !known.contains(&without_spaces(word)))
}

/// The words of `text`, without the punctuation around them. Placeholders have no spaces.
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

/// The long numbers of `text` that `source` does not have, without the signs between their digits.
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
    fn a_placeholder_that_is_lost_changed_or_invented_is_a_flaw() {
        let source = "Hi {{name}}, pay {{ amount }} now";
        assert_eq!(violations(source, "{{amount}} is due, {{ name }}"), []);
        assert_eq!(violations(source, "Pay {{amount}}"), [Violation::Lost("name".into())]);
        let changed = violations(source, "Hi {{Name}}, pay {{amount}}");
        assert_eq!(changed, [Violation::Lost("name".into()), Violation::Invented("Name".into())]);
        let spoilt = violations(source, "Hi {{name}}, pay {{amount}} by {{due date}}");
        assert_eq!(spoilt, [Violation::StrayBraces]);
    }

    #[test]
    fn a_blank_is_a_flaw_unless_somebody_wrote_it() {
        for blank in ["[Your Company]", "<date>", "{name}"] {
            let text = format!("Thank you, {blank}");
            assert_eq!(violations("Thanks", &text), [Violation::Blank(blank.into())]);
            assert_eq!(violations(&text, &text), []);
        }
        assert_eq!(violations("Hi", "1 < 2, 3 > 2 [1] {} {{"), [Violation::StrayBraces]);
    }

    #[test]
    fn a_link_or_a_long_number_that_nobody_gave_is_a_flaw() {
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
    fn a_text_is_not_empty_and_not_too_long() {
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
