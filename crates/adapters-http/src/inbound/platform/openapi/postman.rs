//! A Postman collection, made from the document.

use serde_json::{Value, json};

use super::openapi;
use crate::inbound::shared::endpoint::callers::{API_KEY, BEARER, ORGANIZATION};

const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/// Variables of the collection, with their first values.
const VARIABLES: [(&str, &str); 4] =
    [("baseUrl", super::LOCAL), ("token", ""), ("organizationId", ""), ("apiKey", "")];

/// Returns a collection of all operations, in folders named after their areas. Registrations, logins
/// and new API keys fill in the variables that the other operations use.
pub fn postman() -> Value {
    let document = openapi();
    let folders = document["tags"].as_array().into_iter().flatten().map(|tag| {
        json!({ "name": tag["name"], "description": tag["description"], "item": items(document, tag) })
    });
    let variables = VARIABLES.map(|(key, value)| json!({ "key": key, "value": value }));
    json!({
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["description"],
            "schema": SCHEMA,
        },
        "item": folders.collect::<Vec<_>>(),
        "variable": variables,
    })
}

/// Returns the operations of an area.
fn items(document: &Value, tag: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            if operation["tags"][0] == tag["name"] {
                items.push(item(document, method, path, operation));
            }
        }
    }
    items
}

fn item(document: &Value, method: &str, path: &str, operation: &Value) -> Value {
    let mut item = json!({
        "name": operation["summary"],
        "request": request(document, method, path, operation),
        "response": [],
    });
    if let Some(script) = script(operation) {
        item["event"] = json!([{
            "listen": "test", "script": { "type": "text/javascript", "exec": script },
        }]);
    }
    item
}

fn request(document: &Value, method: &str, path: &str, operation: &Value) -> Value {
    let mut headers = Vec::new();
    let (auth, needs_organization) = authorization(&operation["security"]);
    if needs_organization {
        headers.push(json!({ "key": "X-Organization-Id", "value": "{{organizationId}}" }));
    }
    headers.extend(parameters(operation, "header"));
    let mut request = json!({
        "method": method.to_uppercase(),
        "header": headers,
        "url": url(path, operation),
        "auth": auth,
        "description": operation["description"],
    });
    if let Some(body) = body(document, &operation["requestBody"]["content"]) {
        request["body"] = body;
    }
    request
}

/// Returns the credentials of a request, and if it needs the header that names an organization. A
/// key is preferred where every key may be used: with it a beginner is in the sandbox.
fn authorization(security: &Value) -> (Value, bool) {
    let alternatives = security.as_array().into_iter().flatten();
    let has = |scheme: &str| alternatives.clone().any(|it| it.get(scheme).is_some());
    if security[0].get(API_KEY).is_some() {
        let parts = json!([
            { "key": "key", "value": "X-API-Key", "type": "string" },
            { "key": "value", "value": "{{apiKey}}", "type": "string" },
            { "key": "in", "value": "header", "type": "string" },
        ]);
        return (json!({ "type": "apikey", "apikey": parts }), false);
    }
    if has(BEARER) {
        let token = json!([{ "key": "token", "value": "{{token}}", "type": "string" }]);
        return (json!({ "type": "bearer", "bearer": token }), has(ORGANIZATION));
    }
    (json!({ "type": "noauth" }), false)
}

fn url(path: &str, operation: &Value) -> Value {
    let path: Vec<_> = path.split('/').skip(1).map(segment).collect();
    json!({
        "raw": format!("{{{{baseUrl}}}}/{}", path.join("/")),
        "host": ["{{baseUrl}}"],
        "path": path,
        "query": parameters(operation, "query"),
        "variable": parameters(operation, "path"),
    })
}

/// Returns a part of a path, which begins with a colon if it varies.
fn segment(part: &str) -> String {
    let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
    name.map_or_else(|| part.to_owned(), |name| format!(":{name}"))
}

/// Returns the parameters in that part of a request. Those that it does not need are switched off.
fn parameters(operation: &Value, place: &str) -> Vec<Value> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let those = parameters.filter(|parameter| parameter["in"] == place);
    let shown = those.map(|parameter| {
        json!({
            "key": parameter["name"],
            "value": parameter["example"].as_str().unwrap_or_default(),
            "description": parameter["description"],
            "disabled": parameter["required"] != true,
        })
    });
    shown.collect()
}

/// Returns the body of a request: the example, or fields to fill in.
fn body(document: &Value, content: &Value) -> Option<Value> {
    if let Some(described) = content.get("application/json") {
        let example = example(document, &described["schema"]);
        let text = if example.is_null() { "{}".to_owned() } else { format!("{example:#}") };
        let options = json!({ "raw": { "language": "json" } });
        return Some(json!({ "mode": "raw", "raw": text, "options": options }));
    }
    let form = content.get("multipart/form-data")?;
    let fields = form["schema"]["properties"].as_object()?;
    let fields = fields.iter().map(|(name, schema)| {
        let kind = if schema["format"] == "binary" { "file" } else { "text" };
        json!({ "key": name, "type": kind, "description": schema["description"] })
    });
    Some(json!({ "mode": "formdata", "formdata": fields.collect::<Vec<_>>() }))
}

/// Returns the example of a schema, or of the one that it refers to; null without one.
fn example<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let reference = schema["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
    let schema = reference.and_then(|pointer| document.pointer(pointer)).unwrap_or(schema);
    &schema["example"]
}

/// Returns a script that keeps what an answer gives for further requests.
fn script(operation: &Value) -> Option<Vec<String>> {
    let kept = match operation["operationId"].as_str()? {
        "register" => vec![("token", "token"), ("organizationId", "organization?.id")],
        "login" => vec![("token", "token"), ("organizationId", "organizations?.[0]?.id")],
        "createApiKey" => vec![("apiKey", "key")],
        _ => return None,
    };
    let mut lines = vec![
        "if (pm.response.code < 300) {".to_owned(),
        "    const data = pm.response.json().data;".to_owned(),
    ];
    for (variable, field) in kept {
        lines.push(format!("    pm.collectionVariables.set('{variable}', data.{field} ?? '');"));
    }
    lines.push("}".to_owned());
    Some(lines)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns all requests of the collection.
    fn requests() -> Vec<Value> {
        let collection = postman();
        let folders = collection["item"].as_array().unwrap().clone();
        let items = folders.iter().flat_map(|folder| folder["item"].as_array().unwrap());
        items.map(|item| item["request"].clone()).collect()
    }

    fn request(name: &str) -> Value {
        let is_meant = |it: &Value| {
            let path = it["url"]["raw"].as_str().unwrap().replace("{{baseUrl}}", "");
            format!("{} {path}", it["method"].as_str().unwrap()) == name
        };
        requests().into_iter().find(is_meant).unwrap()
    }

    #[test]
    fn every_operation_is_a_request_once() {
        let requests = requests();
        let names: BTreeSet<_> =
            requests.iter().map(|it| format!("{} {}", it["method"], it["url"]["raw"])).collect();
        let paths = openapi()["paths"].as_object().unwrap();
        let operations: usize = paths.values().map(|it| it.as_object().unwrap().len()).sum();
        assert_eq!((requests.len(), names.len()), (operations, operations));
    }

    #[test]
    fn every_variable_is_declared() {
        let collection = postman();
        let variables = collection["variable"].as_array().unwrap();
        let declared: BTreeSet<_> =
            variables.iter().map(|it| it["key"].as_str().unwrap()).collect();
        for request in requests() {
            // Bodies have placeholders of messages, which Postman leaves as they are.
            let used = json!([request["url"], request["auth"], request["header"]]).to_string();
            for part in used.split("{{").skip(1) {
                let name = part.split("}}").next().unwrap();
                assert!(declared.contains(name), "{name}");
            }
            let path = request["url"]["path"].as_array().unwrap();
            let varying = path.iter().filter_map(|it| it.as_str().unwrap().strip_prefix(':'));
            let filled = request["url"]["variable"].as_array().unwrap();
            for name in varying {
                let is_filled =
                    filled.iter().any(|it| it["key"] == name && it["disabled"] == false);
                assert!(is_filled, "{request}");
            }
        }
    }

    #[test]
    fn a_request_has_its_credentials_and_its_example() {
        let send = request("POST /messages/send");
        assert_eq!(send["auth"]["type"], "apikey");
        let body: Value = serde_json::from_str(send["body"]["raw"].as_str().unwrap()).unwrap();
        assert_eq!(body["channel"], "SMS");

        let invite = request("POST /organizations/invite");
        assert_eq!(invite["auth"]["bearer"][0]["value"], "{{token}}");
        let organization = json!({ "key": "X-Organization-Id", "value": "{{organizationId}}" });
        assert!(invite["header"].as_array().unwrap().contains(&organization));

        assert_eq!(request("POST /auth/login")["auth"]["type"], "noauth");
        assert_eq!(request("POST /contacts/import")["body"]["mode"], "formdata");
        assert_eq!(request("GET /messages/:id")["url"]["variable"][0]["key"], "id");
    }

    #[test]
    fn the_first_steps_keep_what_the_next_ones_need() {
        let collection = postman().to_string();
        for (variable, _) in &VARIABLES[1..] {
            let kept = format!("collectionVariables.set('{variable}'");
            assert!(collection.contains(&kept), "{variable}");
        }
    }
}
