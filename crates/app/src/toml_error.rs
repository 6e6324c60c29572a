//! Position of errors in TOML files.

use toml::de::Error;

/// Describes the error in `text`, with its line and column. The line itself is not shown: it may
/// contain a secret.
pub(crate) fn explain(text: &str, error: &Error) -> String {
    let problem = error.message();
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else { return problem.to_owned() };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {problem}")
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::*;

    fn explained(text: &str) -> String {
        explain(text, &text.parse::<Table>().unwrap_err())
    }

    #[test]
    fn reports_line_and_column_without_the_line() {
        let error = explained("workers = 3\nname = \"\u{e4}\" s3cret\n");
        assert!(error.starts_with("line 2, column 12: "), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }

    #[test]
    fn reports_a_repeated_key_at_its_repetition() {
        let error = explained("a = 1\nb = 2\na = 3\n");
        assert!(error.starts_with("line 3, column 1: duplicate key"), "{error}");
    }
}
