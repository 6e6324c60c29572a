//! Fields of request bodies in the API document, including nested ones and those of list items.

use serde_json::{Map, Value, json};

use crate::shared::document::Operation;

/// Maximum depth of nested fields: rules of segments hold rules.
const DEPTH: usize = 5;

/// Field of a body.
pub(crate) struct BodyField {
    /// Names of its parents, then its own. `0` is an item of a list.
    pub(crate) path: Vec<String>,
    /// Schema of its values, without null.
    pub(crate) schema: Value,
}

impl BodyField {
    /// Returns the name of the field; for an item of a list, the name of the list.
    pub(crate) fn name(&self) -> &str {
        self.path.iter().rev().find(|part| *part != "0").unwrap()
    }

    /// True if its values are texts.
    pub(crate) fn is_text(&self) -> bool {
        self.schema["type"].to_string().contains("string")
    }

    /// True if its values are numbers.
    pub(crate) fn is_number(&self) -> bool {
        let kind = self.schema["type"].to_string();
        kind.contains("number") || kind.contains("integer")
    }

    /// Returns the JSON pointer of the field.
    pub(crate) fn pointer(&self) -> String {
        self.path.iter().fold(String::new(), |pointer, part| pointer + "/" + part)
    }

    /// Returns the example of the operation with that value in this field.
    pub(crate) fn set(&self, operation: &Operation, value: Value) -> Value {
        let mut body = operation.example().unwrap();
        let mut place = &mut body;
        for part in &self.path {
            place = if part == "0" { first_item(place) } else { member(place, part) };
        }
        *place = value;
        body
    }
}

fn first_item(list: &mut Value) -> &mut Value {
    if list.as_array().is_none_or(Vec::is_empty) {
        *list = json!([{}]);
    }
    &mut list[0]
}

fn member<'v>(object: &'v mut Value, name: &str) -> &'v mut Value {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    &mut object[name]
}

/// Returns all fields of the operation's body.
pub(crate) fn fields_of(operation: &Operation) -> Vec<BodyField> {
    let mut found = Vec::new();
    if let Some(schema) = &operation.schema {
        search(&operation.document["components"]["schemas"], schema, &[], &mut found);
    }
    found
}

fn search(schemas: &Value, schema: &Value, path: &[String], found: &mut Vec<BodyField>) {
    let schema = resolved(schemas, schema);
    if path.len() > DEPTH {
        return;
    }
    let below = |name: &str| [path, &[name.to_owned()]].concat();
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        search(schemas, property, &below(name), found);
    }
    if schema["additionalProperties"].is_object() {
        // The templates of an event are keyed by channel.
        let is_of_channels = path.last().is_some_and(|it| it == "templates");
        let name = if is_of_channels { "SMS" } else { "name" };
        search(schemas, &schema["additionalProperties"], &below(name), found);
    }
    if schema["items"].is_object() {
        search(schemas, &schema["items"], &below("0"), found);
    }
    if !path.is_empty() {
        found.push(BodyField { path: path.to_vec(), schema });
    }
}

/// Resolves a schema that refers to another, or that also allows null.
fn resolved(schemas: &Value, schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(forms) = schema["oneOf"].as_array() {
        let form = forms.iter().find(|form| form["type"] != "null");
        schema = form.cloned().unwrap_or_default();
    }
    match schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        Some(name) => schemas[name].clone(),
        None => schema,
    }
}
