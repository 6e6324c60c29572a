//! Plain text from HTML, for mail programs that show no HTML.

use html_escape::decode_html_entities;

/// Renders HTML as text: blocks become lines, links keep their address, other tags are removed.
pub(super) fn plain_text(html: &str) -> String {
    let mut text = Text::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.words(&rest[..at]);
        rest = text.markup(&rest[at..]);
    }
    text.words(rest);
    text.finish()
}

#[derive(Default)]
struct Text {
    shown: String,
    /// True if white space followed the last word.
    gap: bool,
    /// Targets of the open links, and the positions at which their texts begin.
    links: Vec<(String, usize)>,
}

impl Text {
    fn words(&mut self, raw: &str) {
        for c in decode_html_entities(raw).chars() {
            // Mail programs use a no-break space for a significant gap.
            if c.is_whitespace() {
                self.gap = true;
                continue;
            }
            if self.gap && !self.shown.is_empty() && !self.shown.ends_with('\n') {
                self.shown.push(' ');
            }
            self.gap = false;
            self.shown.push(c);
        }
    }

    /// Consumes the markup at the beginning of `rest`, and returns the text after it.
    fn markup<'a>(&mut self, rest: &'a str) -> &'a str {
        if let Some(comment) = rest.strip_prefix("<!--") {
            return after(comment, "-->");
        }
        if !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            self.words("<");
            return &rest[1..];
        }
        let Some(end) = rest.find('>') else {
            self.words(rest);
            return "";
        };
        let (tag, following) = (&rest[1..end], &rest[end + 1..]);
        let name: String = tag.chars().take_while(|c| !c.is_whitespace()).collect();
        let name = name.trim_end_matches('/').to_ascii_lowercase();
        self.tag(&name, tag);
        match name.as_str() {
            "head" | "script" | "style" | "title" => after(from_end_tag(following, &name), ">"),
            _ => following,
        }
    }

    fn tag(&mut self, name: &str, tag: &str) {
        match name {
            "a" => {
                let address = attribute(tag, "href").unwrap_or_default();
                self.links.push((address, self.shown.len()));
            }
            "/a" => self.close_link(),
            "li" => {
                self.lines(1);
                self.shown.push_str("- ");
            }
            "br" => {
                self.gap = false;
                if !self.shown.ends_with("\n\n") {
                    self.shown.push('\n');
                }
            }
            "p" | "/p" | "h1" | "h2" | "h3" | "h4" | "/h1" | "/h2" | "/h3" | "/h4" | "ul"
            | "/ul" | "ol" | "/ol" | "table" | "/table" | "blockquote" | "/blockquote" | "hr" => {
                self.lines(2);
            }
            "div" | "/div" | "tr" | "/tr" | "/li" | "section" | "/section" => self.lines(1),
            "/td" | "/th" => self.gap = true,
            _ => {}
        }
    }

    fn close_link(&mut self) {
        let Some((address, start)) = self.links.pop() else { return };
        let shown = self.shown.get(start..).unwrap_or_default().trim();
        let leads_on = address.starts_with("http") || address.starts_with("mailto:");
        if leads_on && shown != address && address.strip_prefix("mailto:") != Some(shown) {
            self.gap = true;
            self.words(&format!("({address})"));
        }
    }

    /// Ends the line; with two `breaks`, an empty line follows.
    fn lines(&mut self, breaks: usize) {
        self.gap = false;
        let present = self.shown.len() - self.shown.trim_end_matches('\n').len();
        if !self.shown.is_empty() {
            self.shown.extend(std::iter::repeat_n('\n', breaks.saturating_sub(present)));
        }
    }

    fn finish(self) -> String {
        self.shown.trim().to_owned() + "\n"
    }
}

/// Returns the text after the first `end`; empty if there is none.
fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// Returns the text from the first end tag of that name, in any case; empty if there is none.
fn from_end_tag<'a>(text: &'a str, name: &str) -> &'a str {
    let is_it = |at: usize| {
        let found = text.get(at + 2..at + 2 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    let found = text.match_indices("</").find(|(at, _)| is_it(*at));
    found.map_or("", |(at, _)| &text[at..])
}

/// Returns the value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lowered = tag.to_ascii_lowercase();
    let at = lowered.find(&format!("{name}="))? + name.len() + 1;
    let value = tag.get(at..)?;
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split_whitespace().next()?,
    };
    Some(decode_html_entities(value).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_become_lines_and_links_keep_their_address() {
        for (html, text) in [
            (
                "<p>Dear  Ama,</p>\n<p>your\ncode is <b>1234</b>.</p>",
                "Dear Ama,\n\nyour code is 1234.\n",
            ),
            ("one<br>two<br/>three", "one\ntwo\nthree\n"),
            ("<ul><li>a</li><li>b</li></ul>end", "- a\n- b\n\nend\n"),
            (
                "See <a href=\"https://x.gh/?a=1&amp;b=2\">our page</a>.",
                "See our page (https://x.gh/?a=1&b=2).\n",
            ),
            ("<a href='https://x.gh'>https://x.gh</a>", "https://x.gh\n"),
            ("<a href=mailto:a@x.gh>a@x.gh</a> <a href=\"#top\">up</a>", "a@x.gh up\n"),
            ("<table><tr><td>GHS</td><td>5</td></tr><tr><td>x</td></tr></table>", "GHS 5\nx\n"),
            ("<html><head><title>T</title><style>p{}</style></head><body>Hi</body></html>", "Hi\n"),
            ("a<!-- <p>no</p> -->b<script>if (1<2) {}</SCRIPT>c", "abc\n"),
            (
                "&lt;b&gt; &#8373;5 &#x1F600; &nbsp; AT&T &unknown; &",
                "<b> ₵5 😀 AT&T &unknown; &\n",
            ),
            ("caf&eacute; 2&times;3&hellip;", "café 2×3…\n"),
            ("1 < 2 <b>and</b> 3 > 2 <", "1 < 2 and 3 > 2 <\n"),
            ("", "\n"),
        ] {
            assert_eq!(plain_text(html), text, "{html}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>(), html in "(<[a-z/!-]{0,4}|>|&#?[a-z0-9]{0,3};?|é| |href=|\"){0,20}") {
            for text in [text, html] {
                plain_text(&text);
            }
        }
    }
}
