//! Examples of answers, made from their schemas.

use serde_json::{Map, Value, json};

use crate::inbound::shared::endpoint::schemas::Schemas;

/// Returns a value that fits the schema.
pub(super) fn of(schema: &Value, schemas: &Schemas) -> Value {
    for keyword in ["example", "const"] {
        if let Some(value) = schema.get(keyword) {
            return value.clone();
        }
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.trim_start_matches("#/components/schemas/");
        return schemas.0.get(name).map_or(Value::Null, |schema| of(schema, schemas));
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        return together(parts, schemas);
    }
    if let Some(first) = first_form(schema) {
        return of(first, schemas);
    }
    match schema.get("type") {
        Some(Value::String(name)) => of_type(name, schema, schemas),
        // A nullable value has no example unless its schema states one.
        _ => Value::Null,
    }
}

/// Returns the first of several forms, none of which is null.
fn first_form(schema: &Value) -> Option<&Value> {
    let forms = schema.get("oneOf")?.as_array()?;
    let is_nullable = forms.iter().any(|form| form["type"] == "null");
    forms.first().filter(|_| !is_nullable)
}

/// Removes from the messages of an example, if it has any, the results of providers: nobody waited
/// for these.
pub(super) fn queue(example: &mut Value) {
    match &mut example["data"] {
        Value::Array(messages) => messages.iter_mut().for_each(queue_message),
        message => queue_message(message),
    }
}

fn queue_message(message: &mut Value) {
    let Some(message) = message.as_object_mut().filter(|it| it.contains_key("deliveredAt")) else {
        return;
    };
    for (field, value) in [
        ("status", json!("QUEUED")),
        ("provider", Value::Null),
        ("attempts", json!([])),
        ("attemptCount", json!(0)),
        ("sentAt", Value::Null),
        ("deliveredAt", Value::Null),
    ] {
        message.insert(field.to_owned(), value);
    }
}

/// Returns an object with the properties of all parts.
fn together(parts: &[Value], schemas: &Schemas) -> Value {
    let mut whole = Map::new();
    for part in parts {
        if let Value::Object(properties) = of(part, schemas) {
            whole.extend(properties);
        }
    }
    Value::Object(whole)
}

fn of_type(name: &str, schema: &Value, schemas: &Schemas) -> Value {
    match name {
        "object" => {
            let mut object = Map::new();
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                object.insert(name.clone(), of(property, schemas));
            }
            Value::Object(object)
        }
        "array" => {
            let items = schema.get("items").map(|items| of(items, schemas));
            items.into_iter().collect()
        }
        "string" => match schema.get("format").and_then(Value::as_str) {
            Some("uuid") => json!("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b"),
            Some("email") => json!("ama@example.com"),
            _ => json!("text"),
        },
        "integer" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "number" => json!(1.5),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}
