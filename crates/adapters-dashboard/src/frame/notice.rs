//! Notices: what the page after a form says first.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::words::Tone;

/// Maximum length of a notice, in characters: it travels in a cookie.
const MAX: usize = 300;

/// Sentence that one page shows once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

impl Notice {
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { tone: Tone::Good, text: text.into() }
    }

    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self { tone: Tone::Bad, text: text.into() }
    }

    /// Returns a name for a sentence: its direction of writing ends with it.
    pub(crate) fn named(name: &str) -> String {
        format!("\u{2068}{name}\u{2069}")
    }

    /// Returns the value of the cookie that takes it to the next page.
    pub(crate) fn to_cookie(&self) -> String {
        let mark = if self.tone == Tone::Bad { '!' } else { '+' };
        let text: String = self.text.chars().take(MAX).collect();
        URL_SAFE_NO_PAD.encode(format!("{mark}{text}"))
    }

    /// Reads the value of a cookie.
    pub(crate) fn from_cookie(value: &str) -> Option<Self> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(value).ok()?).ok()?;
        let is_bad = text.starts_with('!');
        let text = text.strip_prefix(['!', '+'])?;
        Some(if is_bad { Self::bad(text) } else { Self::done(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_survives_its_cookie() {
        for notice in [Notice::done("Ama’s contact is saved."), Notice::bad("Nothing was sent.")]
        {
            assert_eq!(Notice::from_cookie(&notice.to_cookie()), Some(notice));
        }
        assert_eq!(Notice::from_cookie("anything else"), None);
        let long = Notice::done("é".repeat(2_000));
        assert_eq!(Notice::from_cookie(&long.to_cookie()).unwrap().text.chars().count(), MAX);
    }
}
