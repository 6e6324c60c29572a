//! Values as vendors write them: what is a number to one is a text to the other.

use chrono::{DateTime, NaiveDateTime, Utc};
use domain::message::Message;
use serde_json::Value;

/// A number, or the one in a text such as "GHS 1,402.50".
pub(crate) fn amount(value: &Value) -> Option<f64> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '.' | '-');
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.chars().filter(is_part).collect::<String>().parse().ok(),
        _ => None,
    }
}

/// A text that is not empty, or a whole number as text.
pub(crate) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// A time in any form that the vendors use. Without a zone it is taken as UTC, which Ghana has.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"));
    let local = || {
        let mut forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"].into_iter();
        forms.find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
    };
    zoned.map(|time| time.to_utc()).ok().or_else(|| local().map(|time| time.and_utc()))
}

/// For how many seconds messages that are handed over together are all worth sending: one at the
/// least, for then they are handed over.
pub(crate) fn seconds_left(messages: &[Message], now: DateTime<Utc>) -> i64 {
    let left = |message: &Message| (message.expires_at - now).num_seconds();
    messages.iter().map(left).min().unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::now;

    #[test]
    fn every_form_of_a_time_is_read() {
        for text in [
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.000+0000",
            "2023-11-14T23:13:20.000+01:00",
            "2023-11-14T22:13:20.000000Z",
            "2023-11-14T22:13:20",
            " 2023-11-14 22:13:20 ",
        ] {
            assert_eq!(time(text), Some(now()), "{text}");
        }
        assert_eq!(time("yesterday"), None);
    }

    #[test]
    fn amounts_and_words_are_read_whatever_their_type() {
        for (value, expected) in [
            (json!(12), Some(12.0)),
            (json!(12.5), Some(12.5)),
            (json!("GHS 1,402.50"), Some(1402.5)),
            (json!("none"), None),
            (json!(null), None),
        ] {
            assert_eq!(amount(&value), expected, "{value}");
        }
        assert_eq!(word(&json!(2000)), Some("2000".into()));
        assert_eq!(word(&json!(" 2000 ")), Some("2000".into()));
        // The digits of such a number are lost.
        assert_eq!(word(&json!(3e24)), None);
        assert_eq!(word(&json!("")), None);
    }
}
