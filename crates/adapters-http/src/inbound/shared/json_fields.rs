//! Reads the fields of a JSON object, and reports all faults at once.

use domain::shared::{change::Change, fault::Faults};
use serde_json::{Map, Value, json};

use crate::inbound::shared::endpoint::schemas::Schemas;

mod field;
mod values;

use field::ObjectSchema;
pub(crate) use field::{Field, field};
pub(crate) use values::Rfc3339;

/// Maximum number of objects read from a list: more than any list may have. `{}` is much shorter
/// than the object made of it.
const MOST_ITEMS: usize = 1_000;

/// Type that is read from the fields of a JSON object: usually the command of a use case.
pub(crate) trait FromFields: Sized {
    /// Name of its schema in the document.
    const NAME: &'static str;
    /// Description in the document.
    const ABOUT: &'static str;

    /// Takes all the fields it knows, whatever their values. Missing and wrong ones are left out,
    /// and faults are recorded.
    fn from_fields(fields: &mut Fields) -> Self;

    /// Returns a valid example; null for a type that is only a part of a body.
    fn example() -> Value {
        Value::Null
    }
}

/// A value of a JSON field.
pub(crate) trait FromJson: JsonSchema + Sized {
    /// Reads the value at `path`, or records its faults.
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self>;
}

/// A type of JSON values that the document describes.
pub(crate) trait JsonSchema {
    /// Returns its schema. All schemas that it refers to are added to `schemas`.
    fn schema(schemas: &mut Schemas) -> Value;
}

/// Fields of a JSON object that have not been taken yet.
#[derive(Default)]
pub(crate) struct Fields {
    values: Map<String, Value>,
    faults: Faults,
    /// Collects the schema; `None` except while the document is written.
    schema: Option<ObjectSchema>,
}

impl Fields {
    /// Reads a whole object. A field that nobody takes is a fault too: the client expected it to
    /// have an effect.
    pub(crate) fn read<T: FromFields>(values: Map<String, Value>) -> (T, Faults) {
        let mut fields = Self { values, ..Self::default() };
        let read = T::from_fields(&mut fields);
        for name in fields.values.keys() {
            fields.faults.add(name, "is not a known field");
        }
        (read, fields.faults)
    }

    /// Returns a reference to the schema of a `T`, which is derived by reading one, and adds it.
    pub(crate) fn schema_of<T: FromFields>(schemas: &mut Schemas) -> Value {
        let schema = ObjectSchema::new(std::mem::take(schemas));
        let mut fields = Self { schema: Some(schema), ..Self::default() };
        T::from_fields(&mut fields);
        let (mut schema, found) = fields.schema.unwrap_or_default().finish();
        *schemas = found;
        schema["description"] = json!(T::ABOUT);
        if !T::example().is_null() {
            schema["example"] = T::example();
        }
        schemas.add(T::NAME, schema)
    }

    /// Takes a required field. If it is missing, the use case reports that.
    pub(crate) fn required<T: FromJson>(&mut self, field: Field) -> Option<T> {
        if let Some(schema) = &mut self.schema {
            schema.add(field.required(), T::schema);
        }
        self.value(field.name)
    }

    /// Takes an optional field. Null counts as missing, which the schema does not mention: there it
    /// stands for a value that is cleared.
    pub(crate) fn optional<T: FromJson>(&mut self, field: Field) -> Option<T> {
        if let Some(schema) = &mut self.schema {
            schema.add(field, T::schema);
        }
        self.value(field.name)
    }

    /// Takes an optional condition of a filter. Null is a fault: as an absent condition it would let the
    /// filter select more than the client meant.
    pub(crate) fn condition<T: FromJson>(&mut self, field: Field) -> Option<T> {
        if self.values.get(field.name).is_some_and(Value::is_null) {
            self.values.remove(field.name);
            self.faults.add(field.name, "must not be null");
        }
        self.optional(field)
    }

    /// Takes a change: a missing field keeps the present value, null clears it.
    pub(crate) fn change<T: FromJson>(&mut self, field: Field) -> Change<T> {
        if let Some(schema) = &mut self.schema {
            schema.add(field.nullable(), T::schema);
        }
        match self.values.remove(field.name) {
            None => Change::Keep,
            Some(Value::Null) => Change::Set(None),
            Some(value) => match T::from_json(value, field.name, &mut self.faults) {
                Some(value) => Change::Set(Some(value)),
                None => Change::Keep,
            },
        }
    }

    /// Takes an optional object.
    pub(crate) fn part<T: FromFields>(&mut self, field: Field) -> Option<T> {
        if let Some(schema) = &mut self.schema {
            schema.add(field, Self::schema_of::<T>);
        }
        let value = self.value::<Value>(field.name)?;
        Self::read_part(value, field.name, &mut self.faults)
    }

    /// Reads an object at `path` of a body. Anything else is a fault.
    pub(crate) fn read_part<T: FromFields>(
        value: Value,
        path: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        let Value::Object(object) = value else {
            faults.add(path, "must be an object");
            return None;
        };
        let (part, found) = Self::read(object);
        faults.merge(path, found);
        Some(part)
    }

    /// Takes a required list of objects. Items of other types are faults and are read as empty, so
    /// that the others keep their positions. Of very many only some are read: the use case refuses
    /// them all.
    pub(crate) fn items<T: FromFields>(&mut self, field: Field) -> Vec<T> {
        if let Some(schema) = &mut self.schema {
            schema.add(
                field.required(),
                |schemas| json!({ "type": "array", "items": Self::schema_of::<T>(schemas) }),
            );
        }
        let items = self.value::<Vec<Value>>(field.name).unwrap_or_default();
        let mut read = Vec::with_capacity(items.len().min(MOST_ITEMS));
        for (index, item) in items.into_iter().take(MOST_ITEMS).enumerate() {
            let path = format!("{}.{index}", field.name);
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

    fn value<T: FromJson>(&mut self, name: &str) -> Option<T> {
        let value = self.values.remove(name).filter(|value| !value.is_null())?;
        T::from_json(value, name, &mut self.faults)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::shared::channel::Channel;

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
        const NAME: &'static str = "Parcel";
        const ABOUT: &'static str = "Something to send.";

        fn from_fields(fields: &mut Fields) -> Self {
            Self {
                label: fields.required(field("label")),
                channel: fields.optional(field("channel").about("How it travels.")),
                weight: fields.change(field("weight").limits(&[("minimum", 0)])),
                values: fields.optional(field("values").extension()),
                parts: fields.items(field("parts")),
                inner: fields.part(field("inner")).map(Box::new),
            }
        }
    }

    fn read(value: Value) -> (Parcel, Faults) {
        let Value::Object(object) = value else { panic!("not an object: {value}") };
        Fields::read(object)
    }

    #[test]
    fn reports_all_faults_at_once_under_their_paths() {
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
    fn null_is_no_condition() {
        struct Filter(Option<String>, Option<i32>);
        impl FromFields for Filter {
            const NAME: &'static str = "Filter";
            const ABOUT: &'static str = "";

            fn from_fields(fields: &mut Fields) -> Self {
                Self(fields.condition(field("label")), fields.condition(field("weight")))
            }
        }
        let read = |value: Value| Fields::read::<Filter>(value.as_object().unwrap().clone());

        let (Filter(label, weight), faults) = read(json!({ "label": "a", "weight": null }));
        assert_eq!((label.as_deref(), weight), (Some("a"), None));
        assert_eq!(faults.fields["weight"], ["must not be null"]);
        assert_eq!(faults.fields.len(), 1);
        assert!(read(json!({ "label": "a" })).1.is_empty());
    }

    #[test]
    fn the_schema_says_what_is_read() {
        struct Outer;
        impl FromFields for Outer {
            const NAME: &'static str = "Outer";
            const ABOUT: &'static str = "";

            fn from_fields(fields: &mut Fields) -> Self {
                fields.required::<String>(field("label").about("What it says."));
                fields.optional::<Channel>(field("channel").about("How it travels.").extension());
                fields.change::<i32>(field("weight").limits(&[("minimum", 0)]));
                fields.items::<Inner>(field("parts").limits(&[("minItems", 1)]));
                Self
            }
        }
        struct Inner;
        impl FromFields for Inner {
            const NAME: &'static str = "Inner";
            const ABOUT: &'static str = "A part.";

            fn from_fields(_: &mut Fields) -> Self {
                Self
            }
        }

        let mut schemas = Schemas::default();
        let reference = Fields::schema_of::<Outer>(&mut schemas);

        assert_eq!(reference, json!({ "$ref": "#/components/schemas/Outer" }));
        assert_eq!(schemas.0.keys().collect::<Vec<_>>(), ["Channel", "Inner", "Outer"]);
        assert_eq!(
            schemas.0["Outer"],
            json!({
                "type": "object", "description": "", "additionalProperties": false,
                "required": ["label", "parts"],
                "properties": {
                    "label": { "type": "string", "description": "What it says." },
                    "channel": {
                        "$ref": "#/components/schemas/Channel",
                        "description": "How it travels.", "x-atumpan-extension": true,
                    },
                    "weight": { "type": ["integer", "null"], "format": "int32", "minimum": 0 },
                    "parts": {
                        "type": "array", "minItems": 1,
                        "items": { "$ref": "#/components/schemas/Inner" },
                    },
                },
            })
        );
    }
}
