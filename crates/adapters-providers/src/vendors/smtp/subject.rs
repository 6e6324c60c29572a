//! Subject of an email, encoded so that it reads the same everywhere.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use lettre::message::header::{Header, HeaderName, HeaderValue, Subject as Usual};

/// Maximum length of an unencoded line in bytes. The limit is 998 with the header name (RFC 5322,
/// section 2.1.1).
const LONGEST: usize = 900;
/// Number of bytes in an encoded word: with the header name before it, it stays within 76
/// characters (RFC 2047, section 2).
const WORD: usize = 36;

#[derive(Clone)]
pub(super) struct Subject(String);

impl Subject {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// True if an ASCII text must be encoded: it is too long for a line, a reader would take it for
    /// encoded, or it contains characters that a header must not have.
    fn is_odd(&self) -> bool {
        self.0.len() > LONGEST || self.0.contains("=?") || self.0.contains(char::is_control)
    }
}

impl Header for Subject {
    fn name() -> HeaderName {
        Usual::name()
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self::new(text))
    }

    fn display(&self) -> HeaderValue {
        if self.is_odd() {
            let encoded = encoded(&self.0);
            HeaderValue::dangerous_new_pre_encoded(Self::name(), self.0.clone(), encoded)
        } else {
            HeaderValue::new(Self::name(), self.0.clone())
        }
    }
}

/// Returns a text as encoded words, each on its line.
fn encoded(text: &str) -> String {
    let mut words = vec![String::new()];
    for character in text.chars() {
        match words.last_mut().filter(|word| word.len() + character.len_utf8() <= WORD) {
            Some(word) => word.push(character),
            None => words.push(character.to_string()),
        }
    }
    for word in &mut words {
        *word = format!("=?utf-8?b?{}?=", BASE64_STANDARD.encode(&*word));
    }
    words.join("\r\n ")
}

#[cfg(test)]
mod tests {
    use lettre::message::header::Headers;
    use proptest::prelude::*;

    use super::*;

    /// Returns the lines of the header.
    fn written(text: &str) -> Vec<String> {
        let mut headers = Headers::new();
        headers.set(Subject::new(text));
        headers.to_string().trim_end().split("\r\n").map(str::to_owned).collect()
    }

    /// Decodes lines of encoded words.
    fn read(lines: &[String]) -> String {
        let bytes = lines.iter().flat_map(|line| {
            let word = line.trim_start_matches("Subject:").trim();
            let inner = word.strip_prefix("=?utf-8?b?").and_then(|word| word.strip_suffix("?="));
            BASE64_STANDARD.decode(inner.unwrap()).unwrap()
        });
        String::from_utf8(bytes.collect()).unwrap()
    }

    #[test]
    fn an_ordinary_subject_is_written_as_it_is() {
        assert_eq!(written("Your code = 7?"), ["Subject: Your code = 7?"]);
    }

    #[test]
    fn an_encoded_subject_reads_as_the_original() {
        for text in [
            "=?utf-8?q?=41?=",
            "a =?utf-8?b?QQ==?= b",
            "bell \u{7} and \u{1b}[31m",
            "tab\tand\u{b}more",
            &"x".repeat(998),
            &"\u{20b5}".repeat(998),
        ] {
            let lines = written(text);
            assert_eq!(read(&lines), text);
        }
    }

    proptest! {
        #[test]
        fn no_line_of_a_subject_is_too_long_or_holds_a_control_character(
            text in "[ -~]{0,40}[\\PC\u{1}-\u{1f}]{0,400}[a-z=?]{0,900}",
        ) {
            for line in written(&text) {
                prop_assert!(line.len() < 998, "{line}");
                prop_assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{line:?}");
            }
        }
    }
}
