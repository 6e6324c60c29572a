//! JSON in which no object has a field twice: of two, some programs read the first and some the
//! last, so a check in front of the service might have seen another one.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Error, Map, Number, Value};

/// Parses JSON. An error that `is_data` names a field that is there twice.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(bytes).map(|Unique(value)| value)
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the field `{name}` is there twice")));
            }
            let Unique(value) = fields.next_value()?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_json_with_unique_fields_unchanged() {
        let value = json!({
            "a": [null, true, -7, u64::MAX, 0.5, 1e300, "\u{202e}text", {}, [], {"a": {"a": ""}}],
            "b": {"a": 1}, "": "no name",
        });
        assert_eq!(read(value.to_string().as_bytes()).unwrap(), value);
    }

    #[test]
    fn a_field_that_is_there_twice_is_named_wherever_it_stands() {
        for text in [
            r#"{"to": 1, "to": 1}"#,
            r#"{"to": 1, "a": 2, "t\u006f": 3}"#,
            r#"{"a": [{"b": {"to": null, "to": null}}]}"#,
        ] {
            let fault = read(text.as_bytes()).unwrap_err();
            assert!(fault.is_data(), "{fault}");
            assert!(
                fault.to_string().starts_with("the field `to` is there twice at line 1"),
                "{fault}"
            );
        }
    }

    #[test]
    fn distinguishes_invalid_json_from_repeated_fields() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{\"a\": NaN}", "1e999", "\"\\ud800\"", "{} {}", &deep] {
            assert!(!read(text.as_bytes()).unwrap_err().is_data(), "{text:.20}");
        }
    }
}
