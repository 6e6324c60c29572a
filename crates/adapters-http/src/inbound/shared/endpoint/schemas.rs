//! The schemas of the document.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::{
    ToSchema,
    openapi::{RefOr, schema::Schema},
};

/// Prefix of the doc comment of a field that is an extension.
const EXTENSION: &str = "Extension: ";
/// The keyword that marks extensions of the specification.
pub(in crate::inbound) const MARK: &str = "x-atumpan-extension";

/// Schemas by their names.
#[derive(Default)]
pub(in crate::inbound) struct Schemas(pub(in crate::inbound) BTreeMap<String, Value>);

impl Schemas {
    /// Adds the schema of an answer with all that it refers to, and returns a reference to it.
    pub(in crate::inbound) fn of_answer<T: ToSchema>(&mut self) -> Value {
        let mut found = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut found);
        for (name, schema) in found {
            self.0.entry(name).or_insert_with(|| answer_schema(&schema));
        }
        reference(&T::name())
    }

    /// Adds a schema, and returns a reference to it.
    pub(in crate::inbound) fn add(&mut self, name: &str, schema: Value) -> Value {
        self.0.insert(name.to_owned(), schema);
        reference(name)
    }
}

/// Returns a reference to the schema of that name.
pub(in crate::inbound) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn answer_schema(schema: &RefOr<Schema>) -> Value {
    let mut schema = serde_json::to_value(schema).unwrap_or_default();
    complete(&mut schema);
    schema
}

/// Requires all properties that answers always have, and marks extensions.
fn complete(schema: &mut Value) {
    mark(schema);
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_required = |name: &str| required.contains(&json!(name));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        // A property that may be missing is null, unless its schema excludes null.
        let present = properties.iter().filter(|it| is_required(it.0) || allows_null(it.1));
        let names: Vec<_> = present.map(|(name, _)| name.clone()).collect();
        properties.values_mut().for_each(complete);
        schema["required"] = json!(names);
    }
    for keyword in ["allOf", "oneOf"] {
        if let Some(Value::Array(parts)) = schema.get_mut(keyword) {
            parts.iter_mut().for_each(complete);
        }
    }
    if let Some(items) = schema.get_mut("items") {
        complete(items);
    }
    lift_description(schema);
}

fn allows_null(schema: &Value) -> bool {
    let null = json!("null");
    let is_null = |form: &Value| form["type"] == null;
    schema["type"].as_array().is_some_and(|kinds| kinds.contains(&null))
        || schema["oneOf"].as_array().is_some_and(|forms| forms.iter().any(is_null))
}

/// Moves the description of a nullable reference to the property itself.
fn lift_description(schema: &mut Value) {
    let Some(Value::Array(forms)) = schema.get_mut("oneOf") else { return };
    let mut lifted = Vec::new();
    for form in forms.iter_mut().filter_map(Value::as_object_mut) {
        if form.contains_key("$ref") {
            for keyword in ["description", MARK] {
                lifted.extend(form.remove(keyword).map(|value| (keyword, value)));
            }
        }
    }
    for (keyword, value) in lifted {
        schema[keyword] = value;
    }
}

/// Replaces the word `Extension:` in the description by the mark.
fn mark(schema: &mut Value) {
    let description = schema.get("description").and_then(Value::as_str);
    let Some(rest) = description.and_then(|text| text.strip_prefix(EXTENSION)) else { return };
    let mut characters = rest.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(characters).collect();
    schema["description"] = json!(text);
    schema[MARK] = json!(true);
}
