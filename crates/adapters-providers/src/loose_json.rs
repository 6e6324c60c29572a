//! Lenient reading of vendors' JSON values: some vendors write a number where others write a text.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde_json::Value;

/// Reads a number, or the number in a text such as "GHS 1,402.50".
pub(crate) fn amount(value: &Value) -> Option<f64> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '.' | '-');
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.chars().filter(is_part).collect::<String>().parse().ok(),
        _ => None,
    }
}

/// Reads a text that is not empty, or a whole number as text.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Reads a time in any format that the vendors use. A time without a zone is UTC, the time of
/// Ghana.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    const WITHOUT_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];

    let text = text.trim();
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"));
    if let Ok(time) = zoned {
        return Some(time.to_utc());
    }
    for format in WITHOUT_ZONE {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
            return Some(time.and_utc());
        }
    }
    None
}

/// Reads a time in seconds since 1970, from a number or a text.
pub(crate) fn unix_time(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = match value.as_str() {
        Some(text) => text.parse().ok()?,
        None => value.as_i64()?,
    };
    DateTime::from_timestamp(seconds, 0)
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
        assert_eq!(text(&json!(2000)), Some("2000".into()));
        assert_eq!(text(&json!(" 2000 ")), Some("2000".into()));
        // The digits of such a number are lost.
        assert_eq!(text(&json!(3e24)), None);
        assert_eq!(text(&json!("")), None);
    }
}
