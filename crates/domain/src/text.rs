//! Checks of texts that people write.

/// Checks a text that must be there: one line of at most `longest` characters. Returns it without the
/// spaces around it.
pub fn line(text: &str, longest: usize) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("must not be empty".to_owned());
    }
    optional_line(text, longest).map(|()| text.to_owned())
}

/// Checks a text that may be empty: one line of at most `longest` characters.
pub fn optional_line(text: &str, longest: usize) -> Result<(), String> {
    if text.chars().count() > longest {
        return Err(format!("must have at most {longest} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    Ok(())
}

/// Checks a text that may have several lines. PostgreSQL keeps every character but NUL.
pub fn without_nul(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err("must not contain the character NUL".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_something_in_it_and_no_control_characters() {
        assert_eq!(line(" Ama ", 3).unwrap(), "Ama");
        assert!(line(" ", 3).is_err() && line("Kofi", 3).is_err() && line("a\tb", 3).is_err());
        assert!(optional_line("", 3).is_ok());
    }

    #[test]
    fn a_text_has_no_nul() {
        assert!(without_nul("Akwaaba\nOsagyefo").is_ok());
        assert!(without_nul("Akwaaba\0").is_err());
    }
}
