//! Texts to be read out, in the XML format shared by Twilio and Africa's Talking.

/// Response without instructions.
pub(crate) const NOTHING: &str = "<Response/>";

/// Returns the response that has `text` read out. Characters that XML cannot contain (section 2.2)
/// are left out.
pub(crate) fn say(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => {}
            '\t' | '\n' | '\r' => escaped.push(c),
            _ if c < ' ' => {}
            _ => escaped.push(c),
        }
    }
    format!("<Response><Say>{escaped}</Say></Response>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_taken_for_markup() {
        let xml = say("</Say><Dial>1</Dial> & \"Ɔ'\u{0}\u{1b}\u{ffff}\n");

        let expected = "&lt;/Say&gt;&lt;Dial&gt;1&lt;/Dial&gt; &amp; &quot;Ɔ&apos;\n";
        assert_eq!(xml, format!("<Response><Say>{expected}</Say></Response>"));
    }
}
