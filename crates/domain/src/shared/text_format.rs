//! Formats of mails: plain text and HTML.
//!
//! ```
//! use domain::shared::{channel::Channel, text_format::TextFormat};
//!
//! assert_eq!(TextFormat::of(Channel::Email, None, "<p>Hello</p>"), TextFormat::Html);
//! ```

use std::{borrow::Cow, collections::BTreeMap};

use crate::shared::{channel::Channel, fault::Faults};

crate::closed_list! {
    /// Format of a text. Channels other than EMAIL have plain text only.
    #[derive(Default)]
    pub enum TextFormat {
        /// Plain text.
        #[default]
        Text = "TEXT",
        /// HTML.
        Html = "HTML",
    }
    impl Display;
    impl FromStr;
}

impl TextFormat {
    /// Returns the format of a text on a channel: the one named, or else the one detected. `text`
    /// must be as the writer wrote it, without values filled in, so that the names of strangers
    /// cannot decide the format.
    pub fn of(channel: Channel, named: Option<Self>, text: &str) -> Self {
        match (channel, named) {
            (Channel::Email, Some(named)) => named,
            (Channel::Email, None) if is_html(text) => Self::Html,
            _ => Self::Text,
        }
    }

    /// Returns the values escaped for placeholders of a text in this format: in HTML no value makes
    /// a tag.
    pub fn escaped(self, values: &BTreeMap<String, String>) -> Cow<'_, BTreeMap<String, String>> {
        const MARKS: [char; 5] = ['&', '<', '>', '"', '\''];

        if self == Self::Text || !values.values().any(|value| value.contains(MARKS)) {
            return Cow::Borrowed(values);
        }
        let escaped = values.iter().map(|(name, value)| (name.clone(), escape(value)));
        Cow::Owned(escaped.collect())
    }
}

/// Adds a fault if a format is named for a channel that has only one.
pub(crate) fn check(named: Option<TextFormat>, is_mail: bool, faults: &mut Faults) {
    if named.is_some() && !is_mail {
        faults.add("format", "is only for the channel EMAIL");
    }
}

/// True if a text looks like HTML.
fn is_html(text: &str) -> bool {
    const STARTS: [&str; 2] = ["<!doctype html", "<html"];
    const TAGS: [&str; 11] = [
        "<br>",
        "<br/",
        "<br ",
        "</p>",
        "</a>",
        "</div>",
        "</td>",
        "</li>",
        "</h1>",
        "</strong>",
        "</b>",
    ];

    let text = text.trim_start().to_ascii_lowercase();
    STARTS.iter().any(|start| text.starts_with(start)) || TAGS.iter().any(|tag| text.contains(tag))
}

fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_is_distinguished_from_text() {
        for html in
            ["<!DOCTYPE html><p>", "  <html>", "Hello<br>Ama", "<a href='x'>y</a>", "<P>a</P>"]
        {
            assert!(is_html(html), "{html}");
        }
        for text in ["Hello", "1 < 2 and 3 > 2", "<3", "<ama@example.com> wrote", "a <bracket>", ""]
        {
            assert!(!is_html(text), "{text}");
        }
    }

    #[test]
    fn the_format_of_a_mail_is_named_or_detected() {
        let email = |named, text| TextFormat::of(Channel::Email, named, text);

        assert_eq!(email(None, "<p>Hello</p>"), TextFormat::Html);
        assert_eq!(email(None, "Hello"), TextFormat::Text);
        assert_eq!(email(Some(TextFormat::Text), "<p>Hello</p>"), TextFormat::Text);
        assert_eq!(email(Some(TextFormat::Html), "Hello"), TextFormat::Html);
        assert_eq!(TextFormat::of(Channel::Sms, None, "<p>Hello</p>"), TextFormat::Text);
    }

    proptest! {
        #[test]
        fn no_value_makes_a_tag_or_ends_an_attribute(value: String) {
            let values = BTreeMap::from([("a".to_owned(), value.clone())]);

            let escaped = &TextFormat::Html.escaped(&values)["a"];

            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let back = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
            prop_assert_eq!(back.replace("&#39;", "'").replace("&amp;", "&"), value);
            let plain = TextFormat::Text.escaped(&values);
            prop_assert_eq!(plain.as_ref(), &values);
        }
    }
}
