//! Reading the fields of a JSON object, so that all faults are told at once.

use std::{collections::BTreeMap, fmt, str::FromStr};

use chrono::{DateTime, Utc};
use domain::{fault::Faults, organization::Change};
use serde_json::{Map, Value};

/// Something that is read from the fields of a JSON object.
pub(super) trait FromFields: Sized {
    /// Takes the fields it knows. What is missing or wrong is left out; the rest is noted.
    fn from_fields(fields: &mut Fields) -> Self;
}

/// A value of a JSON field.
pub(super) trait FromJson: Sized {
    /// Reads the value that stands at `path`, or notes what is wrong with it.
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self>;
}

/// The fields of a JSON object that nobody has taken yet.
pub(super) struct Fields {
    values: Map<String, Value>,
    faults: Faults,
}

impl Fields {
    /// Reads a whole object. A field that nobody takes is a fault too: it would have been meant to
    /// do something.
    pub(super) fn read<T: FromFields>(values: Map<String, Value>) -> (T, Faults) {
        let mut fields = Self { values, faults: Faults::default() };
        let read = T::from_fields(&mut fields);
        for name in fields.values.keys() {
            fields.faults.add(name, "is not a known field");
        }
        (read, fields.faults)
    }

    /// Takes a field that may be missing; null is missing.
    pub(super) fn optional<T: FromJson>(&mut self, name: &str) -> Option<T> {
        let value = self.values.remove(name).filter(|value| !value.is_null())?;
        T::from_json(value, name, &mut self.faults)
    }

    /// Takes a text that may be missing and stands for something.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, name: &str) -> Option<T> {
        let text = self.optional::<String>(name)?;
        self.faults.take(name, text.parse())
    }

    /// Takes a change: a field that is missing keeps what is there, null clears it.
    pub(super) fn change<T: FromJson>(&mut self, name: &str) -> Change<T> {
        match self.values.remove(name) {
            None => Change::Keep,
            Some(Value::Null) => Change::Set(None),
            Some(value) => match T::from_json(value, name, &mut self.faults) {
                Some(value) => Change::Set(Some(value)),
                None => Change::Keep,
            },
        }
    }

    /// Takes an object that may be missing.
    pub(super) fn part<T: FromFields>(&mut self, name: &str) -> Option<T> {
        let Value::Object(object) = self.optional::<Value>(name)? else {
            self.faults.add(name, "must be an object");
            return None;
        };
        let (part, faults) = Self::read(object);
        self.faults.merge(name, faults);
        Some(part)
    }

    /// Takes a list of objects. One that is none is noted and read as empty, so that the others
    /// keep their places.
    pub(super) fn items<T: FromFields>(&mut self, name: &str) -> Vec<T> {
        let items = self.optional::<Vec<Value>>(name).unwrap_or_default();
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let path = format!("{name}.{index}");
            let object = if let Value::Object(object) = item {
                object
            } else {
                self.faults.add(&path, "must be an object");
                Map::new()
            };
            let (item, faults) = Self::read(object);
            self.faults.merge(&path, faults);
            read.push(item);
        }
        read
    }
}

impl FromJson for Value {
    fn from_json(value: Value, _: &str, _: &mut Faults) -> Option<Self> {
        Some(value)
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

impl FromJson for bool {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let flag = value.as_bool();
        if flag.is_none() {
            faults.add(path, "must be true or false");
        }
        flag
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

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let Value::Array(items) = value else {
            faults.add(path, "must be an array");
            return None;
        };
        let items = items.into_iter().enumerate();
        let items: Vec<_> =
            items.map(|(at, item)| T::from_json(item, &format!("{path}.{at}"), faults)).collect();
        items.into_iter().collect()
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
                    faults.add(format!("{path}.{name}"), "must be a string");
                    // It stands in, so that the value does not count as missing as well.
                    other.to_string()
                }
            };
            read.insert(name, text);
        }
        Some(read)
    }
}

/// A point in time, as RFC 3339 writes it.
pub(super) struct Moment(pub(super) DateTime<Utc>);

/// The text is no point in time.
#[derive(Debug, thiserror::Error)]
#[error("must be a date and time with an offset, such as 2026-01-31T09:00:00Z")]
pub(super) struct NotAMoment;

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        let moment = DateTime::parse_from_rfc3339(text).map_err(|_| NotAMoment)?;
        Ok(Self(moment.to_utc()))
    }
}

#[cfg(test)]
mod tests {
    use domain::channel::Channel;
    use serde_json::json;

    use super::*;

    struct Parcel {
        label: Option<String>,
        channel: Option<Channel>,
        weight: Change<i32>,
        values: Option<BTreeMap<String, String>>,
        parts: Vec<Parcel>,
        inner: Option<Box<Parcel>>,
    }

    impl FromFields for Parcel {
        fn from_fields(fields: &mut Fields) -> Self {
            Self {
                label: fields.optional("label"),
                channel: fields.parsed("channel"),
                weight: fields.change("weight"),
                values: fields.optional("values"),
                parts: fields.items("parts"),
                inner: fields.part("inner").map(Box::new),
            }
        }
    }

    fn read(value: Value) -> (Parcel, Faults) {
        let Value::Object(object) = value else { panic!("not an object: {value}") };
        Fields::read(object)
    }

    #[test]
    fn all_faults_are_told_at_once_each_under_its_path() {
        let (parcel, faults) = read(json!({
            "label": 7, "channel": "PIGEON", "weight": 1.5, "values": { "a": null }, "colour": "red",
            "parts": [{ "label": "ok" }, 3, { "size": 1, "parts": "none" }],
            "inner": { "label": 1, "inner": [] },
        }));

        let paths: Vec<_> = faults.fields.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "channel",
                "colour",
                "inner.inner",
                "inner.label",
                "label",
                "parts.1",
                "parts.2.parts",
                "parts.2.size",
                "values.a",
                "weight"
            ]
        );
        assert_eq!(faults.fields["colour"], ["is not a known field"]);
        assert_eq!(faults.fields["label"], ["must be a string"]);
        assert!(faults.fields["channel"][0].starts_with("must be one of SMS"));
        assert!(parcel.inner.unwrap().label.is_none());
        assert_eq!(parcel.parts.len(), 3);
        assert_eq!(parcel.parts[0].label.as_deref(), Some("ok"));
        assert_eq!(parcel.values.unwrap()["a"], "null");
    }

    #[test]
    fn null_is_missing_but_clears_what_may_change() {
        let (parcel, faults) = read(json!({ "label": null, "channel": null, "weight": null }));

        assert!(faults.is_empty());
        assert_eq!((parcel.label, parcel.channel), (None, None));
        assert_eq!(parcel.weight, Change::Set(None));
        assert_eq!(read(json!({})).0.weight, Change::Keep);
    }

    #[test]
    fn a_moment_needs_an_offset() {
        assert!("2026-01-31T09:00:00+02:00".parse::<Moment>().is_ok());
        assert!("2026-01-31T09:00:00".parse::<Moment>().is_err());
        assert!("2026-01-31".parse::<Moment>().is_err());
    }
}
