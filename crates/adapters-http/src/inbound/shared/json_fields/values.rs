//! The values of JSON fields.

use std::{collections::BTreeMap, fmt, str::FromStr};

use chrono::{DateTime, Utc};
use domain::{
    messaging::message::{Metadata, metadata},
    shared::{country::Country, fault::Faults, id::Id, money::Money},
};
use serde_json::{Value, json};

use super::{FromJson, JsonSchema};
use crate::inbound::shared::{
    endpoint::schemas::Schemas,
    formats::{Names, Vocabulary},
};

impl JsonSchema for Value {
    fn schema(_: &mut Schemas) -> Value {
        json!({})
    }
}

impl FromJson for Value {
    fn from_json(value: Value, _: &str, _: &mut Faults) -> Option<Self> {
        Some(value)
    }
}

impl JsonSchema for String {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string" })
    }
}

impl FromJson for String {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        if let Value::String(text) = value {
            return Some(text);
        }
        faults.add(path, "must be a string");
        None
    }
}

/// Parses a JSON string.
fn from_text<T: FromStr<Err: fmt::Display>>(
    value: Value,
    path: &str,
    faults: &mut Faults,
) -> Option<T> {
    let text = String::from_json(value, path, faults)?;
    faults.take(path, text.parse())
}

impl<V: Vocabulary> JsonSchema for V {
    fn schema(schemas: &mut Schemas) -> Value {
        schemas.of_answer::<Names<V>>()
    }
}

impl<V: Vocabulary + FromStr<Err: fmt::Display>> FromJson for V {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        from_text(value, path, faults)
    }
}

impl<T> JsonSchema for Id<T> {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "format": "uuid" })
    }
}

impl<T> FromJson for Id<T> {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        from_text(value, path, faults)
    }
}

impl JsonSchema for Country {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string" })
    }
}

impl FromJson for Country {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        from_text(value, path, faults)
    }
}

impl JsonSchema for bool {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "boolean" })
    }
}

impl FromJson for bool {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let flag = value.as_bool();
        if flag.is_none() {
            faults.add(path, "must be true or false");
        }
        flag
    }
}

impl JsonSchema for i32 {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "integer", "format": "int32" })
    }
}

impl FromJson for i32 {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let number = value.as_i64().and_then(|number| Self::try_from(number).ok());
        if number.is_none() {
            faults.add(path, format!("must be an integer of at most {}", Self::MAX));
        }
        number
    }
}

impl JsonSchema for Money {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "number" })
    }
}

impl FromJson for Money {
    /// Reads a number by its shortest decimal, as the client wrote it.
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let Value::Number(number) = value else {
            faults.add(path, "must be a number");
            return None;
        };
        // A float is written without an exponent, unlike a number of JSON.
        let text = match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        };
        faults.take(path, text.parse())
    }
}

impl<T: JsonSchema> JsonSchema for Vec<T> {
    fn schema(schemas: &mut Schemas) -> Value {
        json!({ "type": "array", "items": T::schema(schemas) })
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let Value::Array(items) = value else {
            faults.add(path, "must be an array");
            return None;
        };
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            read.push(T::from_json(item, &format!("{path}.{index}"), faults));
        }
        read.into_iter().collect()
    }
}

impl JsonSchema for BTreeMap<String, String> {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
}

impl FromJson for BTreeMap<String, String> {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let Value::Object(entries) = value else {
            faults.add(path, "must be an object");
            return None;
        };
        let mut read = Self::new();
        for (name, value) in entries {
            let text = match value {
                Value::String(text) => text,
                other => {
                    let fault = match &other {
                        Value::Number(_) | Value::Bool(_) => {
                            format!("must be a string; put it in quotes: \"{other}\"")
                        }
                        _ => "must be a string".to_owned(),
                    };
                    faults.add(format!("{path}.{name}"), fault);
                    // A stand-in, so that the value does not count as missing as well.
                    other.to_string()
                }
            };
            read.insert(name, text);
        }
        Some(read)
    }
}

impl JsonSchema for Metadata {
    fn schema(_: &mut Schemas) -> Value {
        json!({
            "type": "object", "maxProperties": metadata::MAX_PAIRS,
            "propertyNames": { "minLength": 1, "maxLength": metadata::MAX_KEY },
            "additionalProperties": { "type": "string", "maxLength": metadata::MAX_VALUE },
        })
    }
}

impl FromJson for Metadata {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let pairs = BTreeMap::<String, String>::from_json(value, path, faults)?;
        Self::new(pairs).map_err(|found| faults.merge_new(path, found)).ok()
    }
}

impl JsonSchema for DateTime<Utc> {
    fn schema(schemas: &mut Schemas) -> Value {
        Rfc3339::schema(schemas)
    }
}

impl FromJson for DateTime<Utc> {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        from_text(value, path, faults).map(|Rfc3339(time)| time)
    }
}

/// Text of a point in time, in the format of RFC 3339.
pub(crate) struct Rfc3339(pub(in crate::inbound) DateTime<Utc>);

/// Error for a text that is not a point in time.
#[derive(Debug, thiserror::Error)]
#[error("must be a date and time with an offset, such as 2026-01-31T09:00:00Z")]
pub(crate) struct NotRfc3339;

impl FromStr for Rfc3339 {
    type Err = NotRfc3339;

    fn from_str(text: &str) -> Result<Self, NotRfc3339> {
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| NotRfc3339)?;
        Ok(Self(time.to_utc()))
    }
}

impl JsonSchema for Rfc3339 {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_what_its_decimals_say() {
        let read = |text: &str| {
            let mut faults = Faults::default();
            let value = serde_json::from_str(text).unwrap();
            Money::from_json(value, "amount", &mut faults).ok_or(faults)
        };
        for (text, micros) in [
            ("10", 10_000_000),
            ("0.035", 35_000),
            ("4.35", 4_350_000),
            ("1e3", 1_000_000_000),
            ("0.000001", 1),
        ] {
            assert_eq!(read(text), Ok(Money::from_micros(micros)), "{text}");
        }
        for text in ["\"10\"", "null", "0.0000001", "1e300"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_needs_an_offset() {
        assert!("2026-01-31T09:00:00+02:00".parse::<Rfc3339>().is_ok());
        assert!("2026-01-31T09:00:00".parse::<Rfc3339>().is_err());
        assert!("2026-01-31".parse::<Rfc3339>().is_err());
    }
}
