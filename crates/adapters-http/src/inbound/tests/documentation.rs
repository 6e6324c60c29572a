//! The document of the API.

use std::collections::BTreeSet;

use super::*;

const METHODS: [&str; 4] = ["get", "post", "patch", "delete"];

/// Returns every operation, by its method and path.
fn operations() -> Vec<(String, &'static Value)> {
    let mut operations = Vec::new();
    for (path, item) in openapi()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(METHODS.contains(&method.as_str()), "{method} {path}");
            operations.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    operations
}

/// Returns every answer, by the operation and the status.
fn answers() -> Vec<(String, &'static Value)> {
    let mut answers = Vec::new();
    for (name, operation) in operations() {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            answers.push((format!("{name} {status}"), answer));
        }
    }
    answers
}

fn schema(name: &str) -> &'static Value {
    &openapi()["components"]["schemas"][name]
}

/// Returns the schemas that a schema is made of.
fn children(schema: &'static Value) -> Vec<&'static Value> {
    let mut found = Vec::new();
    found.extend(schema["properties"].as_object().into_iter().flat_map(|them| them.values()));
    found.extend(schema["oneOf"].as_array().into_iter().flatten());
    found.extend(schema["allOf"].as_array().into_iter().flatten());
    found.extend(schema.get("items"));
    found
}

/// Returns a schema, and all schemas inside it.
fn parts(schema: &'static Value) -> Vec<&'static Value> {
    let mut found = vec![schema];
    found.extend(children(schema).into_iter().flat_map(parts));
    found
}

/// Returns the texts inside a schema that have no list of values, no format and no example.
fn unknown_texts(schema: &'static Value) -> Vec<&'static Value> {
    if ["enum", "format", "example"].iter().any(|keyword| schema.get(keyword).is_some()) {
        return Vec::new();
    }
    if schema["type"] == "string" {
        return vec![schema];
    }
    children(schema).into_iter().flat_map(unknown_texts).collect()
}

#[test]
fn every_endpoint_is_documented() {
    let documented: BTreeSet<_> = operations().into_iter().map(|(name, _)| name).collect();
    let endpoints = areas().into_iter().flat_map(|area| area.endpoints);
    let served = endpoints.map(|endpoint| format!("{} {}", endpoint.method, endpoint.path));
    assert_eq!(documented, served.collect());
}

#[test]
fn every_operation_has_a_name_of_its_own_a_summary_and_a_tag() {
    let operations = operations();
    let names: BTreeSet<_> =
        operations.iter().map(|(_, it)| it["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.len(), operations.len());
    for (name, operation) in &operations {
        assert_ne!(operation["summary"], "", "{name}");
        assert!(operation["tags"][0].is_string(), "{name}");
        assert!(operation["security"].is_array(), "{name}");
        assert!(operation["responses"]["500"].is_object(), "{name}");
    }
}

#[test]
fn every_operation_names_a_method_of_its_own() {
    let operations = operations();
    let methods: BTreeSet<_> =
        operations.iter().map(|(_, it)| it["x-method"].as_str().unwrap()).collect();
    assert_eq!(methods.len(), operations.len());
    for method in &methods {
        let (area, name) = method.split_once('.').unwrap();
        for part in [area, name] {
            assert!(part.starts_with(|it: char| it.is_ascii_lowercase()), "{method}");
            assert!(part.chars().all(|it| it.is_ascii_alphanumeric()), "{method}");
        }
    }
    assert_eq!(openapi()["paths"]["/messages/bulk"]["post"]["x-method"], "messages.sendBulk");
}

#[test]
fn every_code_has_a_sentence_and_says_if_a_retry_helps() {
    let codes = schema("ErrorCode");
    let meanings = codes["x-errors"].as_object().unwrap();
    let listed = codes["enum"].as_array().unwrap().iter();
    let listed: BTreeSet<_> = listed.map(|code| code.as_str().unwrap()).collect();
    assert_eq!(listed, meanings.keys().map(String::as_str).collect());
    for (code, meaning) in meanings {
        assert!(meaning["message"].as_str().is_some_and(|it| it.ends_with('.')), "{code}");
        assert!(meaning["retry"].is_boolean(), "{code}");
    }
    for (code, retry) in [
        ("VALIDATION_ERROR", false),
        ("EMAIL_EXISTS", false),
        ("GATEWAY_NOT_CONFIGURED", false),
        ("RATE_LIMITED", true),
        ("IDEMPOTENCY_IN_PROGRESS", true),
        ("INTERNAL_ERROR", true),
        ("SERVICE_UNAVAILABLE", true),
    ] {
        assert_eq!(meanings[code]["retry"], retry, "{code}");
    }
}

#[test]
fn the_body_of_every_webhook_is_a_schema_of_its_own() {
    let webhooks = openapi()["webhooks"].as_object().unwrap();
    let bodies: BTreeSet<_> = webhooks
        .values()
        .map(|call| &call["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"])
        .map(|reference| reference.as_str().unwrap())
        .collect();
    assert_eq!(bodies.len(), webhooks.len());
    let event = schema("MessageStatusUpdatedEvent");
    assert_eq!(event["properties"]["data"]["$ref"], "#/components/schemas/DeliveryLog");
}

#[test]
fn bodies_have_examples_and_required_fields() {
    for (name, operation) in operations() {
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let Some(body) = body.as_str() else { continue };
        let schema = schema(body.trim_start_matches("#/components/schemas/"));
        assert!(schema["example"].is_object(), "{name}");
        assert!(operation["responses"]["400"].is_object(), "{name}");
        assert!(operation["responses"]["413"].is_object(), "{name}");
    }
    let send = schema("SendMessageRequest");
    assert_eq!(send["required"], json!(["channel", "to"]));
    assert!(send["properties"]["async"].is_object());
}

#[test]
fn every_reference_leads_somewhere() {
    let text = openapi().to_string();
    for reference in text.split("\"#/").skip(1) {
        let path = reference.split('"').next().unwrap();
        assert!(openapi().pointer(&format!("/{path}")).is_some(), "{path}");
    }
}

#[test]
fn every_schema_is_referred_to() {
    let text = openapi().to_string();
    for name in openapi()["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "{name}");
    }
}

#[test]
fn path_parameters_are_those_of_the_path() {
    for (name, operation) in operations() {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let described = parameters.filter(|it| it["in"] == "path").map(|it| &it["name"]);
        let described: Vec<_> = described.map(|name| name.as_str().unwrap()).collect();
        let written: Vec<_> =
            name.split('{').skip(1).map(|part| part.split('}').next().unwrap()).collect();
        assert_eq!(described, written, "{name}");
    }
}

#[test]
fn every_answer_has_an_example_and_the_identifier_of_its_request() {
    for (name, answer) in answers() {
        assert_ne!(answer["description"], "", "{name}");
        assert!(answer["headers"]["X-Request-Id"].is_object(), "{name}");
        let Some(content) = answer["content"].as_object() else {
            assert!(name.ends_with(" 204"), "{name}");
            continue;
        };
        for content in content.values() {
            let examples = content["examples"].as_object().is_some_and(|them| !them.is_empty());
            assert!(examples || !content["example"].is_null(), "{name}: {content}");
        }
    }
}

/// Returns the first difference between `value` and the schema.
fn mismatch(schema: &'static Value, value: &Value, path: &str) -> Option<String> {
    let wrong = |what: &str| Some(format!("{path}: {value} is not {what}"));
    if let Some(reference) = schema["$ref"].as_str() {
        let target = openapi().pointer(reference.trim_start_matches('#')).unwrap();
        return mismatch(target, value, path);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().find_map(|part| mismatch(part, value, path));
    }
    if let Some(forms) = schema["oneOf"].as_array() {
        let fits = forms.iter().any(|form| mismatch(form, value, path).is_none());
        return if fits { None } else { wrong("of any form") };
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return wrong("in the list");
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return wrong("the constant");
    }
    let of_type = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let is_whole_number = of_type == "integer" && types.contains(&json!("number"));
    if !is_whole_number && !types.contains(&json!(of_type)) && !types.contains(&Value::Null) {
        return wrong(&schema["type"].to_string());
    }
    if let Value::Array(items) = value {
        return items.iter().find_map(|item| mismatch(&schema["items"], item, path));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.map(|name| name.as_str().unwrap()).filter(|_| value.is_object()) {
        if value.get(name).is_none() {
            return wrong(&format!("complete without {name}"));
        }
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.filter(|_| value.is_object()).find_map(|(name, property)| {
        mismatch(property, value.get(name)?, &format!("{path}.{name}"))
    })
}

#[test]
fn every_example_fits_its_schema() {
    for (name, answer) in answers() {
        for content in answer["content"].as_object().into_iter().flat_map(serde_json::Map::values) {
            let named = content["examples"].as_object().into_iter().flatten();
            let mut values: Vec<_> = named.map(|(_, example)| &example["value"]).collect();
            values.extend(content.get("example"));
            for value in values {
                assert_eq!(mismatch(&content["schema"], value, &name), None);
            }
        }
    }
    for (name, schema) in openapi()["components"]["schemas"].as_object().unwrap() {
        if let Some(example) = schema.get("example") {
            assert_eq!(mismatch(schema, example, name), None);
        }
    }
}

#[test]
fn every_text_of_an_answer_is_of_a_list_or_a_format_or_has_an_example() {
    for name in openapi()["components"]["schemas"].as_object().unwrap().keys() {
        if name.ends_with("Request") || name.ends_with("Update") {
            continue;
        }
        assert!(*name == "Error" || unknown_texts(schema(name)).is_empty(), "{name}");
    }
}

#[test]
fn closed_lists_are_enumerated() {
    let closed = [
        ("DeliveryLog", "status", "#/components/schemas/Status"),
        ("DeliveryLog", "channel", "#/components/schemas/Channel"),
        ("DeliveryLog", "errorCode", "#/components/schemas/FailureCode"),
        ("Attempt", "outcome", "#/components/schemas/AttemptOutcome"),
        ("Error", "code", "#/components/schemas/ErrorCode"),
        ("Provider", "status", "#/components/schemas/ProviderStatus"),
        ("Member", "role", "#/components/schemas/Role"),
        ("ApiKey", "scopes", "#/components/schemas/Scope"),
        ("CreateApiKeyRequest", "scopes", "#/components/schemas/Scope"),
        ("SendMessageRequest", "category", "#/components/schemas/Category"),
    ];
    for (name, property, reference) in closed {
        let described = &schema(name)["properties"][property];
        let refers = parts(described).iter().any(|part| part["$ref"] == reference);
        assert!(refers, "{name}.{property}: {described}");
        let list = schema(reference.trim_start_matches("#/components/schemas/"));
        assert!(list["enum"].as_array().is_some_and(|names| names.len() > 1), "{reference}");
    }
}

#[test]
fn a_failure_shows_its_own_codes_and_no_other() {
    let mut shown = BTreeSet::new();
    for (name, answer) in answers() {
        let Some(examples) = answer["content"]["application/json"]["examples"].as_object() else {
            continue;
        };
        let description = answer["description"].as_str().unwrap();
        for part in description.split('`').skip(1).step_by(2) {
            assert!(examples.contains_key(part), "{name} names {part}");
        }
        for (code, example) in examples {
            assert!(description.contains(code), "{name}: {code}");
            assert_eq!(example["value"]["error"]["code"], *code, "{name}");
            shown.insert(code.clone());
        }
    }
    assert!(shown.contains("RATE_LIMITED") && shown.len() > 15, "{shown:?}");
}

#[test]
fn answers_require_constant_properties_and_differ_by_success() {
    for name in openapi()["components"]["schemas"].as_object().unwrap().keys() {
        // Rules are shown as they were given.
        let is_given = ["Request", "Update", "Rules"].iter().any(|end| name.ends_with(end));
        for part in parts(schema(name)).into_iter().filter(|_| !is_given) {
            let properties = part["properties"].as_object().into_iter().flatten();
            let properties = properties.map(|(name, _)| name.as_str());
            // `isLowerBound` is present only if it is true, the others depend on the channel of the
            // recipient, or on the request for a page or a part.
            let is_optional = |it: &&str| {
                *it == "isLowerBound"
                    || name == "OptedOut" && ["phone", "email"].contains(it)
                    || name == "PageOrPartPagination" && *it != "limit"
            };
            let properties: BTreeSet<_> = properties.filter(|it| !is_optional(it)).collect();
            let required = part["required"].as_array().into_iter().flatten();
            let required: BTreeSet<_> = required.map(|name| name.as_str().unwrap()).collect();
            assert_eq!(required, properties, "{name}");
        }
    }
    assert_eq!(schema("DeliveryLogAnswer")["properties"]["success"]["const"], true);
    assert_eq!(schema("Failure")["properties"]["success"]["const"], false);
    let log = "#/components/schemas/DeliveryLog";
    assert_eq!(schema("DeliveryLogAnswer")["properties"]["data"]["$ref"], log);
    let result = "#/components/schemas/BulkResult";
    assert_eq!(schema("BulkResultList")["properties"]["data"]["items"]["$ref"], result);
    assert_eq!(schema("BulkResult")["oneOf"][0]["$ref"], log);
    assert_eq!(schema("DeliveryLogPage")["properties"]["data"]["items"]["$ref"], log);
}

#[test]
fn optional_fields_have_no_default_and_null_only_where_it_clears() {
    for name in ["SendMessageRequest", "OrganizationUpdate"] {
        for (field, property) in schema(name)["properties"].as_object().unwrap() {
            assert!(property.get("default").is_none(), "{field}: TypeScript would require it");
        }
    }
    let update = &schema("OrganizationUpdate")["properties"];
    assert_eq!(update["name"]["type"], "string");
    assert_eq!(update["website"]["type"], json!(["string", "null"]));
    let send = schema("SendMessageRequest");
    let required = send["required"].as_array().unwrap();
    assert!(required.contains(&json!("channel")), "{required:?}");
    assert_eq!(send["properties"]["async"]["type"], "boolean");
    assert_eq!(send["properties"]["category"]["$ref"], "#/components/schemas/Category");
}

#[test]
fn the_organization_is_named_by_a_header_wherever_a_session_acts_in_one() {
    let header = &openapi()["components"]["securitySchemes"]["organization"];
    assert_eq!(header["name"], "X-Organization-Id");
    for (name, operation) in operations() {
        let outside = name == "POST /organizations"
            || [" /auth/", " /providers", " /admin/"].iter().any(|it| name.contains(it));
        for requirement in operation["security"].as_array().unwrap() {
            let is_named = requirement.get("organization").is_some();
            assert_eq!(is_named, requirement.get("bearer").is_some() && !outside, "{name}");
        }
    }
}
