//! Characters that make a text message longer.

use super::{Issue, Severity, letters::Letter};
use crate::shared::sms::{self, Encoding};

/// Maximum number of characters reported.
const MAX_ISSUES: usize = 20;

/// Returns an issue with a replacement and the cost for each character outside the alphabet of text
/// messages. They add nothing to a score.
pub(super) fn costly(text: &str) -> Vec<Issue> {
    let now = sms::segment(text);
    if now.encoding == Encoding::Gsm7 {
        return Vec::new();
    }
    let plain: String = text.chars().map(instead).collect();
    let parts = sms::segment(&plain).segments;
    let mut issues: Vec<Issue> = Vec::new();
    for c in sms::non_gsm(text).into_iter().take(MAX_ISSUES) {
        let instead = instead(c);
        let remedy = if instead.is_empty() {
            "Leave it out.".to_owned()
        } else if instead == " " {
            "Write an ordinary space.".to_owned()
        } else {
            format!("Write \"{instead}\".")
        };
        let cost = if parts < now.segments {
            format!(": it takes {} parts, and {parts} without such characters", now.segments)
        } else {
            ": a part then holds 70 characters instead of 160".to_owned()
        };
        issues.push(Issue {
            code: "UCS2_CHARACTER".into(),
            severity: Severity::Info,
            message: format!("makes the whole text message take more room{cost}").into(),
            remedy: remedy.into(),
            found: Some(c.to_string()),
            position: text.chars().position(|it| it == c),
            weight: 0,
        });
    }
    issues
}

/// Returns the replacement of `c`, which may be the same; empty if `c` is better omitted.
pub fn instead(c: char) -> String {
    if sms::segment(c.encode_utf8(&mut [0; 4])).encoding == Encoding::Gsm7 {
        return c.to_string();
    }
    let text = match c {
        '₵' => "GHS",
        '‘' | '’' | 'ʼ' | '`' | '´' | '′' => "'",
        '“' | '”' | '„' | '″' => "\"",
        '–' | '—' | '‐' | '‑' | '−' => "-",
        '•' | '·' | '▪' | '●' => "-",
        '…' => "...",
        '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => " ",
        '™' => "(TM)",
        '©' => "(c)",
        '®' => "(R)",
        '°' => " degrees",
        '×' => "x",
        '½' => "1/2",
        '¼' => "1/4",
        '¾' => "3/4",
        '₦' => "NGN",
        '≤' => "<=",
        '≥' => ">=",
        '→' => "->",
        '✓' | '✔' | '✅' => "",
        _ => return plain_letter(c),
    };
    text.to_owned()
}

/// Returns the nearest letter of the plain alphabet.
fn plain_letter(c: char) -> String {
    match Letter::of(c) {
        Some(letter) if letter.folded.is_ascii() && letter.is_capital => {
            letter.folded.to_ascii_uppercase().to_string()
        }
        Some(letter) if letter.folded.is_ascii() => letter.folded.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(text: &str) -> Vec<(String, String)> {
        let issues = costly(text).into_iter();
        issues.map(|it| (it.found.unwrap(), it.remedy.into_owned())).collect()
    }

    #[test]
    fn reports_each_ucs2_character_once_with_its_replacement() {
        let advised = advice("Ɛyɛ ₵5 – “yɛ”\u{a0}😀 ê");
        let expected = [
            ("Ɛ", "Write \"E\"."),
            ("ɛ", "Write \"e\"."),
            ("₵", "Write \"GHS\"."),
            ("–", "Write \"-\"."),
            ("“", "Write \"\"\"."),
            ("”", "Write \"\"\"."),
            ("\u{a0}", "Write an ordinary space."),
            ("😀", "Leave it out."),
            ("ê", "Write \"e\"."),
        ];
        let advised: Vec<_> =
            advised.iter().map(|(c, remedy)| (c.as_str(), remedy.as_str())).collect();
        assert_eq!(advised, expected);
        assert_eq!(advice("Pay GHS 5 to Ama, {ok} é ~ €"), []);
    }

    #[test]
    fn reports_the_cost_in_parts() {
        let text = format!("₵5 {}", "a".repeat(120));
        let issue = &costly(&text)[0];
        assert_eq!((issue.weight, issue.severity, issue.position), (0, Severity::Info, Some(0)));
        assert!(issue.message.ends_with("it takes 2 parts, and 1 without such characters"));
    }

    #[test]
    fn limits_the_number_of_reported_characters() {
        let text: String = ('а'..='я').collect();
        assert_eq!(costly(&text).len(), MAX_ISSUES);
    }
}
