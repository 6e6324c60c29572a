//! Recovery codes, each of which replaces a code of the app once.

use std::fmt;

use super::base32;

/// Number of recovery codes of a second factor.
pub const RECOVERY_CODES: usize = 10;
/// Number of random bytes in a recovery code.
const BYTES: usize = 10;
/// Number of characters between hyphens.
const GROUP: usize = 4;
/// Maximum number of bytes that are read of a text.
const MAX_TEXT: usize = 100;

/// A code that replaces a code of the app once: sixteen characters, written in groups of four.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// Returns the code made of the first ten of these random bytes.
    pub fn new(random: &[u8; 32]) -> Self {
        Self(base32::encode(&random[..BYTES]))
    }

    /// Returns the code that a person typed, in either case, with or without spaces and hyphens.
    pub fn typed(text: &str) -> Self {
        let characters = text.chars().take(MAX_TEXT).filter(char::is_ascii_alphanumeric);
        Self(characters.map(|character| character.to_ascii_uppercase()).collect())
    }

    /// Returns the characters, without hyphens.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecoveryCode {
    /// Writes the code as people copy it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, character) in self.0.chars().enumerate() {
            if index > 0 && index.is_multiple_of(GROUP) {
                f.write_str("-")?;
            }
            write!(f, "{character}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_sixteen_characters_in_groups_of_four() {
        assert_eq!(RecoveryCode::new(&[0; 32]).to_string(), "AAAA-AAAA-AAAA-AAAA");
        assert_eq!(RecoveryCode::new(&[0xff; 32]).to_string(), "7777-7777-7777-7777");
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = RecoveryCode::new(b"0123456789abcdef0123456789abcdef");
        let text = code.to_string();
        for typed in
            [text.clone(), text.to_lowercase(), text.replace('-', " "), format!(" {text}\n")]
        {
            assert!(RecoveryCode::typed(&typed) == code, "{typed:?}");
        }
        assert!(RecoveryCode::typed(&text[1..]) != code);
        assert!(RecoveryCode::typed(&"a".repeat(1_000)).as_str().len() <= 100);
    }
}
