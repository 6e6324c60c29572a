//! Ways out of an organization's promotion that need no reply to the message.

use crate::shared::{address::Address, channel::Channel, country::Country, fault::Faults};

/// Number and code by which recipients stop the promotion of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaysOut {
    /// Phone number, in E.164, or short code that takes calls or texts.
    pub number: Option<String>,
    /// Code to dial, such as `*713*2#`.
    pub ussd: Option<String>,
}

/// Ways out as a request gives them, not validated yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaysOutRequest {
    /// See [`WaysOut::number`]; a number may be written as dialled in Ghana.
    pub number: Option<String>,
    /// See [`WaysOut::ussd`].
    pub ussd: Option<String>,
}

/// Maximum number of digits of a short code. A longer number is that of a phone.
const LONGEST_SHORT_CODE: usize = 6;
/// Minimum number of digits of a short code.
const SHORTEST_SHORT_CODE: usize = 3;
/// Number of digits at the end of a phone number that identify it, with and without a calling code.
const SIGNIFICANT_DIGITS: usize = 9;
/// The longest code to dial, in characters.
const LONGEST_USSD: usize = 30;

impl WaysOut {
    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.number.is_none() && self.ussd.is_none()
    }

    /// True if a text names the number or the code.
    pub fn are_named_in(&self, text: &str) -> bool {
        let number = self.number.as_deref().is_some_and(|number| names_number(text, number));
        number || self.ussd.as_deref().is_some_and(|code| names_code(text, code))
    }
}

impl WaysOutRequest {
    /// Returns everything that is wrong with the ways out.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(number) = &self.number {
            faults.take("number", checked_number(number));
        }
        if let Some(code) = &self.ussd {
            faults.take("ussd", checked_code(code));
        }
        faults
    }

    /// Returns the ways out, without invalid ones.
    pub fn checked(&self) -> WaysOut {
        WaysOut {
            number: self.number.as_deref().and_then(|number| checked_number(number).ok()),
            ussd: self.ussd.as_deref().and_then(|code| checked_code(code).ok()),
        }
    }
}

fn checked_number(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_short = (SHORTEST_SHORT_CODE..=LONGEST_SHORT_CODE).contains(&text.len());
    if is_short && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.to_owned());
    }
    let number = Address::parse(Channel::Voice, Country::GH, text);
    number.map(|number| number.as_str().to_owned()).map_err(|fault| fault.to_string())
}

fn checked_code(text: &str) -> Result<String, String> {
    let code: String = text.split_whitespace().collect();
    let digits = code.strip_prefix('*').and_then(|rest| rest.strip_suffix('#'));
    let is_code = digits.is_some_and(|digits| {
        let mut groups = digits.split('*');
        groups.all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if is_code && code.len() <= LONGEST_USSD {
        Ok(code)
    } else {
        Err("must be a code to dial, such as *713*2#".to_owned())
    }
}

/// True if a text names a number, however it is written.
fn names_number(text: &str, number: &str) -> bool {
    let digits = number.trim_start_matches('+');
    if digits.len() <= LONGEST_SHORT_CODE {
        return text.split(|c: char| !c.is_ascii_digit()).any(|run| run == digits);
    }
    let start = digits.len().saturating_sub(SIGNIFICANT_DIGITS);
    let significant = digits.get(start..).unwrap_or(digits);
    let is_between = |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '(' | ')');
    let compact: String = text.chars().filter(|c| !is_between(*c)).collect();
    compact.contains(significant)
}

/// True if a text names a code to dial, with spaces in it or without.
fn names_code(text: &str, code: &str) -> bool {
    let compact: String = text.split_whitespace().collect();
    has_code(text, code) || has_code(&compact, code)
}

/// True if a text has the code, and not only a longer one that ends with it.
fn has_code(text: &str, code: &str) -> bool {
    let mut parts = text.split(code);
    let Some(mut before) = parts.next() else { return false };
    for after in parts {
        if !before.ends_with(|c: char| c.is_ascii_digit()) {
            return true;
        }
        before = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways_out(number: &str, ussd: &str) -> WaysOut {
        let request = WaysOutRequest { number: Some(number.into()), ussd: Some(ussd.into()) };
        assert!(request.faults().is_empty(), "{request:?}");
        request.checked()
    }

    #[test]
    fn a_text_names_a_number_or_a_code_in_any_spelling() {
        let own = ways_out("0302123456", "*713 * 2#");
        let named = (own.number.as_deref(), own.ussd.as_deref());
        assert_eq!(named, (Some("+233302123456"), Some("*713*2#")));
        for text in [
            "No more? Call 0302 123 456",
            "No more? (+233) 302-123-456",
            "No more? Dial *713*2#.",
            "From GHS 5 *713*2#",
            "Dial *713 *2 #",
            "*99*713*2# or *713*2#",
        ] {
            assert!(own.are_named_in(text), "{text}");
        }
        for text in ["Call 0302123457", "Dial *713#", "Dial *99*713*2#", ""] {
            assert!(!own.are_named_in(text), "{text}");
        }
        let short = ways_out("1945", "*713#");
        assert!(short.are_named_in("Text NO to 1945."));
        assert!(!short.are_named_in("Call 0241945233"));
        assert!(!WaysOut::default().are_named_in("Call 1945"));
    }

    #[test]
    fn a_number_can_be_called_and_a_code_dialled() {
        for (number, ussd) in [("12", "713#"), ("Ama", "*713"), ("0302", "*7**1#"), ("", "*#")] {
            let request = WaysOutRequest { number: Some(number.into()), ussd: Some(ussd.into()) };
            let paths: Vec<_> = request.faults().fields.into_keys().collect();
            let expected: &[&str] = if number == "0302" { &["ussd"] } else { &["number", "ussd"] };
            assert_eq!(paths, expected, "{number} {ussd}");
        }
    }
}
