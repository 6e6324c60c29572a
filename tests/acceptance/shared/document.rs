//! Operations in the API document.

use reqwest::Method;
use serde_json::Value;

/// Operation of the API.
pub(crate) struct Operation {
    pub(crate) method: Method,
    /// Path with parameters in braces.
    pub(crate) template: String,
    /// True if a session may call it.
    pub(crate) takes_session: bool,
    /// True if an API key may call it whose scopes open no endpoints for sessions.
    pub(crate) takes_key: bool,
    /// Scope by which other API keys may call it, as an operation for sessions.
    pub(crate) opened_by: Option<String>,
    /// True if a session must name an organization.
    pub(crate) is_inside: bool,
    /// Schema of its body.
    pub(crate) schema: Option<Value>,
    /// Names of its query parameters.
    pub(crate) query: Vec<String>,
    /// Media type of its success.
    pub(crate) answers: String,
    /// Complete API document.
    pub(crate) document: &'static Value,
}

impl Operation {
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    /// Returns the path with `id` for its parameters.
    pub(crate) fn path(&self, id: &str) -> String {
        let parts = self.template.split('/');
        let parts = parts.map(|part| if part.starts_with('{') { id } else { part });
        parts.collect::<Vec<_>>().join("/")
    }

    /// Returns a valid body.
    pub(crate) fn example(&self) -> Option<Value> {
        self.schema.as_ref().map(|schema| schema["example"].clone())
    }
}

/// Returns all operations.
pub(crate) fn operations() -> Vec<Operation> {
    let document = adapters_http::openapi();
    let mut operations = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push(Operation {
                method: method.to_uppercase().parse().unwrap(),
                template: template.clone(),
                takes_session: is_secured_by(operation, "bearer"),
                takes_key: operation["security"][0].get("apiKey").is_some(),
                opened_by: opened_by(operation),
                is_inside: is_secured_by(operation, "organization"),
                schema: schema(document, operation),
                query: query(operation),
                answers: answers(operation),
                document,
            });
        }
    }
    operations
}

fn is_secured_by(operation: &Value, scheme: &str) -> bool {
    let schemes = operation["security"].as_array().into_iter().flatten();
    schemes.filter(|it| it.get(scheme).is_some()).count() > 0
}

fn opened_by(operation: &Value) -> Option<String> {
    let is_for_sessions = operation["security"][0].get("apiKey").is_none();
    let scope = operation["x-atumpan-scope"].as_str().filter(|_| is_for_sessions);
    scope.map(str::to_owned)
}

fn query(operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.filter(|parameter| parameter["in"] == "query");
    parameters.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
}

fn answers(operation: &Value) -> String {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    let content = successes.find_map(|(_, response)| response["content"].as_object());
    content.and_then(|content| content.keys().next().cloned()).unwrap_or_default()
}

fn schema(document: &Value, operation: &Value) -> Option<Value> {
    let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let name = body.as_str()?.trim_start_matches("#/components/schemas/");
    Some(document["components"]["schemas"][name].clone())
}
