//! Comparison of the API document with the specification: `fixtures/endpoints.txt` lists the methods
//! and paths of the specification.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

const ENDPOINTS: &str = include_str!("fixtures/endpoints.txt");

/// Operations that may document no failure: their callers only check that the service runs.
const CARELESS: &[&str] = &["/docs", "/health", "/metrics", "/openapi.json"];

const METHODS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

/// Method and path, with every parameter called `{id}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Endpoint {
    path: String,
    method: String,
}

impl Endpoint {
    fn new(method: &str, path: &str) -> Self {
        let parts = path.split('/').map(|part| if part.starts_with('{') { "{id}" } else { part });
        Self { path: parts.collect::<Vec<_>>().join("/"), method: method.to_ascii_uppercase() }
    }

    fn is_careless(&self) -> bool {
        CARELESS.iter().any(|beginning| self.path.starts_with(beginning))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

fn specified() -> BTreeSet<Endpoint> {
    let lines = ENDPOINTS.lines().filter(|line| !line.is_empty());
    lines.filter_map(|line| line.split_once(' ')).map(|(a, b)| Endpoint::new(a, b)).collect()
}

fn document() -> Value {
    serde_json::to_value(adapters_http::openapi()).unwrap_or_default()
}

fn operations(document: &Value) -> BTreeMap<Endpoint, Value> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        let of = move |method| Some((Endpoint::new(method, path), item.get(method)?.clone()));
        METHODS.into_iter().filter_map(of)
    });
    operations.collect()
}

#[test]
fn the_specification_has_sixty_one_endpoints() {
    assert_eq!(specified().len(), 61);
    assert_eq!(ENDPOINTS.lines().count(), 61, "an endpoint is listed twice");
}

#[test]
fn every_specified_endpoint_is_documented() {
    let documented = operations(&document());
    let missing: Vec<_> =
        specified().into_iter().filter(|it| !documented.contains_key(it)).collect();
    assert_none(&missing, "these endpoints are specified and must be documented");
}

#[test]
fn exactly_the_unspecified_is_marked_as_an_extension() {
    let specified = specified();
    let is_marked = |operation: &Value| operation["x-atumpan-extension"] == true;
    let documented = operations(&document()).into_iter();
    let broken: Vec<_> = documented
        .filter(|(endpoint, operation)| specified.contains(endpoint) == is_marked(operation))
        .map(|(endpoint, _)| endpoint)
        .collect();
    assert_none(&broken, "an operation of our own is an `.extension()`");
    let document = document();
    let fields = &document["components"]["schemas"]["SendMessageRequest"]["properties"];
    for (field, is_ours) in [("senderId", true), ("category", true), ("body", false)] {
        assert_eq!(fields[field]["x-atumpan-extension"] == true, is_ours, "{field}");
    }
    assert!(!document.to_string().contains("\"Extension: "), "what is marked need not say so");
}

#[test]
fn the_values_of_an_enum_are_distinct() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
    let broken: Vec<_> = schemas
        .filter_map(|(name, schema)| Some((name, schema["enum"].as_array()?)))
        .filter(|(_, values)| {
            let distinct: BTreeSet<_> = values.iter().map(Value::to_string).collect();
            distinct.len() < values.len()
        })
        .map(|(name, _)| name)
        .collect();
    assert_none(&broken, "the values of an enum are distinct");
}

#[test]
fn every_operation_has_a_unique_id() {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (endpoint, operation) in operations(&document()) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        users.entry(id.to_owned()).or_default().push(endpoint.to_string());
    }
    let is_wrong = |(id, users): &(String, Vec<String>)| id.is_empty() || users.len() > 1;
    let wrong = users.into_iter().filter(is_wrong);
    let broken: Vec<_> = wrong.map(|(id, users)| format!("{id:?}: {}", users.join(", "))).collect();
    assert_none(&broken, "an operationId is there, and names one operation");
}

#[test]
fn every_operation_documents_a_failure() {
    let says = |operation: &Value| {
        let responses = operation["responses"].as_object().into_iter().flatten();
        responses.map(|(status, _)| status).any(|status| status.starts_with(['4', '5']))
    };
    let documented = operations(&document()).into_iter();
    let broken: Vec<_> = documented
        .filter(|(endpoint, operation)| !endpoint.is_careless() && !says(operation))
        .map(|(endpoint, _)| endpoint)
        .collect();
    assert_none(&broken, "an operation documents a 4XX or a 5XX");
}

/// Codes of operations that only pages use.
const OF_PAGES: [&str; 4] = [
    "LOG_EXPORT_FAILED",
    "LOG_EXPORT_LIMIT_REACHED",
    "LOG_EXPORT_NOT_READY",
    "TOO_MANY_LOG_EXPORTS",
];

#[test]
fn every_code_of_a_use_case_is_documented() {
    let document = document();
    let listed = document["components"]["schemas"]["ErrorCode"]["enum"].as_array();
    let mut broken = Vec::new();
    for text in sources(&root().join("crates/usecases/src")) {
        for beginning in ["Reason::new(", "Reason::with_message("] {
            for rest in text.split(beginning).skip(1) {
                let code = rest.trim_start().strip_prefix('"').and_then(|it| it.split('"').next());
                let Some(code) = code.filter(|code| !OF_PAGES.contains(code)) else { continue };
                if !listed.is_some_and(|codes| codes.iter().any(|it| it == code)) {
                    broken.push(code.to_owned());
                }
            }
        }
    }
    assert_none(&broken, "an endpoint `.refuses` with this code, or `failures.rs` lists it");
}

/// Returns the files of a folder and of those inside it, except tests.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("tests") {
            found.extend(sources(&path));
        } else if path.is_file() && !path.ends_with("tests.rs") {
            found.extend(fs::read_to_string(&path));
        }
    }
    found
}

#[test]
fn the_stored_document_equals_the_served_one() {
    let file = root().join("docs/openapi.json");
    let text = fs::read_to_string(&file);
    let text =
        text.unwrap_or_else(|error| panic!("docs/openapi.json: {error}; run `just openapi`"));
    let kept: Value = serde_json::from_str(&text).unwrap_or_default();
    let difference = difference("", &kept, &document());
    assert_eq!(difference, None, "docs/openapi.json is out of date; run `just openapi`");
}

/// Returns the first difference of two documents as a JSON pointer; `None` if they are equal.
fn difference(at: &str, kept: &Value, served: &Value) -> Option<String> {
    match (kept, served) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            keys.into_iter().find_map(|key| {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => difference(&at, a, b),
                    _ => Some(at),
                }
            })
        }
        (a, b) => (a != b).then(|| at.to_owned()),
    }
}

#[test]
fn a_difference_is_reported_as_a_json_pointer() {
    let [a, b] = [r#"{"a":{"/b":[1]}}"#, r#"{"a":{"/b":[2]}}"#]
        .map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    assert_eq!(difference("", &a, &b).as_deref(), Some("/a/~1b"));
    assert_eq!(difference("", &a, &a), None);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

#[track_caller]
fn assert_none(broken: &[impl fmt::Display], rule: &str) {
    let broken: Vec<_> = broken.iter().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{rule}. Not so:\n  {}", broken.join("\n  "));
}
