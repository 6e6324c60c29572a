//! Fields of a JSON object, with their documentation.

use serde_json::{Map, Value, json};

use crate::inbound::shared::endpoint::schemas::{MARK, Schemas};

/// Field of a JSON object: its name and its documentation.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(super) name: &'static str,
    about: &'static str,
    is_extension: bool,
    is_required: bool,
    is_nullable: bool,
    format: &'static str,
    limits: &'static [(&'static str, i64)],
    schema: Option<fn(&mut Schemas) -> Value>,
}

/// Creates a field of that name.
pub(crate) const fn field(name: &'static str) -> Field {
    Field {
        name,
        about: "",
        is_extension: false,
        is_required: false,
        is_nullable: false,
        format: "",
        limits: &[],
        schema: None,
    }
}

impl Field {
    /// Sets its description.
    pub(in crate::inbound) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Marks it as an extension of the specification.
    pub(in crate::inbound) const fn extension(self) -> Self {
        Self { is_extension: true, ..self }
    }

    /// Sets the format of its text, as JSON Schema names it.
    pub(in crate::inbound) const fn format(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    /// Sets the limits of its value as keywords of JSON Schema, such as `minLength`. They are
    /// documented here and checked by the use case.
    pub(in crate::inbound) const fn limits(self, limits: &'static [(&'static str, i64)]) -> Self {
        Self { limits, ..self }
    }

    /// Sets a schema that is more precise than that of its type.
    pub(in crate::inbound) const fn documented_as(self, schema: fn(&mut Schemas) -> Value) -> Self {
        Self { schema: Some(schema), ..self }
    }

    pub(super) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(super) const fn nullable(self) -> Self {
        Self { is_nullable: true, ..self }
    }
}

/// Schema of an object that is being built field by field.
#[derive(Default)]
pub(super) struct ObjectSchema {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    schemas: Schemas,
}

impl ObjectSchema {
    /// Creates the schema of an object without fields; schemas that its fields refer to are added
    /// to `schemas`.
    pub(super) fn new(schemas: Schemas) -> Self {
        Self { schemas, ..Self::default() }
    }

    /// Adds a field, with values as `schema` describes them.
    pub(super) fn add(&mut self, field: Field, schema: fn(&mut Schemas) -> Value) {
        let schema = field.schema.unwrap_or(schema);
        let mut property = schema(&mut self.schemas);
        if !field.format.is_empty() {
            property["format"] = json!(field.format);
        }
        for (keyword, limit) in field.limits {
            property[*keyword] = json!(limit);
        }
        if field.is_nullable {
            property = nullable(property);
        }
        if !field.about.is_empty() {
            property["description"] = json!(field.about);
        }
        if field.is_extension {
            property[MARK] = json!(true);
        }
        if field.is_required {
            self.required.push(field.name);
        }
        self.properties.insert(field.name.to_owned(), property);
    }

    /// Returns the schema, and all schemas.
    pub(super) fn finish(self) -> (Value, Schemas) {
        let mut schema = json!({
            "type": "object", "properties": self.properties, "additionalProperties": false,
        });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        (schema, self.schemas)
    }
}

fn nullable(mut schema: Value) -> Value {
    // A schema without any keyword allows null already.
    if schema == json!({}) {
        return schema;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some(name) => {
            schema["type"] = json!([name, "null"]);
            schema
        }
        None => json!({ "oneOf": [schema, { "type": "null" }] }),
    }
}
