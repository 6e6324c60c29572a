//! Fields of log lines as text. Whatever a value contains, each entry stays one line and does
//! nothing to the terminal that shows it.

use std::fmt::{self, Write};

use tracing::field::Field;
use tracing_subscriber::fmt::format::Writer;

/// Writes a field of an event or a span.
pub(super) fn write_field(
    writer: &mut Writer<'_>,
    field: &Field,
    value: &dyn fmt::Debug,
) -> fmt::Result {
    let mut line = OneLine(writer);
    match field.name() {
        "message" => write!(line, "{value:?}"),
        // The target already contains the fields that the bridge from the crate `log` adds.
        name if name.starts_with("log.") => Ok(()),
        name => write!(line, "{}={value:?}", name.trim_start_matches("r#")),
    }
}

/// Writer that escapes characters that could end a line, move the cursor or reverse the text.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !text.contains(is_harmful) {
            return self.0.write_str(text);
        }
        for character in text.chars() {
            if is_harmful(character) {
                write!(self.0, "{}", character.escape_default())?;
            } else {
                self.0.write_char(character)?;
            }
        }
        Ok(())
    }
}

fn is_harmful(character: char) -> bool {
    let turns_around = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns_around || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex, PoisonError},
    };

    use tracing_subscriber::{field::MakeExt, fmt, fmt::format::debug_fn, layer::SubscriberExt};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the logged text, without the time.
    fn logged(event: impl FnOnce()) -> String {
        let kept = Kept::default();
        let writer = kept.clone();
        let layer = fmt::layer()
            .without_time()
            .with_ansi(false)
            .with_target(false)
            .fmt_fields(debug_fn(write_field).delimited(" "))
            .with_writer(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), event);
        String::from_utf8(kept.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn leaves_a_harmless_line_unchanged() {
        let line = logged(|| tracing::info!(count = 3, name = "Ama", reason = %"late", "it waits"));
        assert_eq!(line, " INFO it waits count=3 name=\"Ama\" reason=late\n");
    }

    #[test]
    fn no_value_begins_a_line_or_controls_the_terminal() {
        let evil = "a\r\n INFO forged\u{1b}[31m\u{9b}2J\u{2028}\u{202e}\u{7}";
        let error = io::Error::other(evil);
        let line =
            logged(|| tracing::warn!(shown = %evil, %error, text = evil, list = ?[evil], "{evil}"));

        assert_eq!(line.matches('\n').count(), 1, "{line:?}");
        assert!(line.ends_with('\n') && !line.trim_end().contains(is_harmful), "{line:?}");
        let shown = "shown=a\\r\\n INFO forged\\u{1b}[31m\\u{9b}2J\\u{2028}\\u{202e}\\u{7} error=a";
        assert!(line.contains(shown), "{line:?}");
    }
}
