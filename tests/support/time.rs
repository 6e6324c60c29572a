//! Times in answers.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Returns the time that a value of an answer holds.
pub fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().and_then(|text| text.parse().ok()).expect("a time")
}
