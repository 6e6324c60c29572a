//! The document of the API, in OpenAPI 3.1.

mod about;
mod codes;
mod examples;
mod failures;
mod methods;
mod postman;
mod webhooks;

use std::{collections::BTreeMap, sync::LazyLock};

use domain::identity::scope::Scope;
use failures::Failures;
pub use postman::postman;
use serde_json::{Map, Value, json};

use crate::inbound::{
    platform::health::HEALTH,
    shared::{
        caller::ORGANIZATION as ORGANIZATION_HEADER,
        endpoint::{
            Endpoint,
            callers::{API_KEY, BEARER, ORGANIZATION},
            describe::{Description, NO_BODY, Response},
            schemas::{MARK, Schemas},
        },
    },
};

/// Keyword of an operation for sessions that names the scope by which keys may call it, too; null
/// if no key may.
pub(in crate::inbound) const SCOPE: &str = "x-atumpan-scope";
/// Address on which the service listens without settings.
const LOCAL: &str = "http://127.0.0.1:8080";

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

/// Returns the document of the whole API.
pub fn openapi() -> &'static Value {
    &DOCUMENT
}

fn document() -> Value {
    let areas = crate::inbound::areas();
    let failures = Failures::of(&areas);
    let mut schemas = Schemas::default();
    failures.add_schemas(&mut schemas);
    let mut tags = Vec::new();
    let mut operations = Vec::new();
    for area in areas {
        tags.push(json!({ "name": area.name, "description": area.about }));
        for endpoint in area.endpoints {
            let mut description = Description { schemas, ..Description::default() };
            endpoint.describe(&mut description);
            schemas = std::mem::take(&mut description.schemas);
            operations.push((area.name, endpoint, description));
        }
    }
    let webhooks = webhooks::section(&mut schemas);
    // Examples are made from schemas, so all of these must be known before.
    let mut paths = Map::new();
    for (area, endpoint, description) in operations {
        let method = endpoint.method.as_str().to_lowercase();
        let item = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        let those = failures.of_operation(area, &endpoint, &description);
        item[method] = operation(area, &endpoint, description, &schemas, those);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Atumpan",
            "version": "1.0.0",
            "description": about::ABOUT,
            "license": { "name": "Apache 2.0", "identifier": "Apache-2.0" },
        },
        "servers": [
            { "url": "/", "description": "The service that shows this document." },
            { "url": LOCAL, "description": "A service on this machine, with its default settings." },
        ],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas.0,
            "headers": headers(),
            "securitySchemes": security_schemes(),
        },
    })
}

fn operation(
    area: &str,
    endpoint: &Endpoint,
    description: Description,
    schemas: &Schemas,
    failures: BTreeMap<u16, Value>,
) -> Value {
    let is_counted = description.is_counted;
    let mut responses = Map::new();
    for (status, response) in description.responses {
        let mut response = success(status, endpoint, response, schemas);
        if is_counted {
            add_rate_limits(&mut response["headers"]);
        }
        responses.insert(status.to_string(), response);
    }
    for (status, failure) in failures {
        responses.entry(status.to_string()).or_insert(failure);
    }
    let mut operation = json!({
        "operationId": endpoint.id,
        methods::KEYWORD: methods::name(area, endpoint.id),
        "tags": [area],
        "summary": endpoint.summary,
        "security": requirements(description.security),
        "responses": responses,
    });
    if !endpoint.description.is_empty() {
        operation["description"] = json!(endpoint.description);
    }
    if endpoint.is_extension {
        operation[MARK] = json!(true);
    }
    if description.takes_session {
        operation[SCOPE] = json!(description.scope.map(Scope::as_str));
    }
    if !description.parameters.is_empty() {
        operation["parameters"] = json!(description.parameters);
    }
    if let Some(body) = description.body {
        operation["requestBody"] = body;
    }
    operation
}

fn success(status: u16, endpoint: &Endpoint, response: Response, schemas: &Schemas) -> Value {
    let Response { description, media_type, schema, example, mut headers, has_page } = response;
    let description = if description.is_empty() { endpoint.answer } else { description };
    headers.insert("X-Request-Id".to_owned(), header("X-Request-Id"));
    if media_type == NO_BODY {
        return json!({ "description": description, "headers": headers });
    }
    let mut example = example.unwrap_or_else(|| examples::of(&schema, schemas));
    if status == 202 {
        examples::queue(&mut example);
    }
    let mut content = json!({ media_type: { "schema": schema, "example": example } });
    if has_page {
        content["text/html"] =
            json!({ "schema": { "type": "string" }, "example": "<!doctype html>…" });
    }
    json!({ "description": description, "headers": headers, "content": content })
}

/// Adds the rate limit headers of answers to requests that were counted.
fn add_rate_limits(headers: &mut Value) {
    for name in ["RateLimit", "RateLimit-Policy"] {
        headers[name] = header(name);
    }
}

/// Returns a reference to one of [`headers`].
fn header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

fn headers() -> Value {
    json!({
        "X-Request-Id": {
            "description": "The identifier of the request: the one that the client sent, or a new \
                            one.",
            "schema": { "type": "string", "maxLength": 64 },
            "example": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b",
        },
        "RateLimit": {
            "description": "The state of the limits that the request was counted against, as in \
                            draft-ietf-httpapi-ratelimit-headers: `r` remain, and the limit is \
                            fully restored in `t` seconds; with 429 `t` is the time of \
                            `Retry-After`. Absent if nothing was counted.",
            "schema": { "type": "string" },
            "example": "\"messages\";r=4980;t=1",
        },
        "RateLimit-Policy": {
            "description": "These limits: `q` are allowed at once, and flow in again within `w` \
                            seconds. `messages`, `sandbox-messages` and `requests` apply to an \
                            organization, `guests` and `registrations` to an address. Absent if \
                            nothing was counted.",
            "schema": { "type": "string" },
            "example": "\"messages\";q=5000;w=10",
        },
        "Retry-After": {
            "description": "The number of seconds to wait before a retry.",
            "schema": { "type": "integer", "minimum": 0 },
            "example": 2,
        },
        "WWW-Authenticate": {
            "description": "The scheme of authentication.",
            "schema": { "type": "string" },
            "example": "Bearer",
        },
    })
}

fn requirements(alternatives: &[&[&str]]) -> Value {
    let mut requirements = Vec::new();
    for schemes in alternatives {
        let mut requirement = Map::new();
        for scheme in *schemes {
            requirement.insert((*scheme).to_owned(), json!([]));
        }
        requirements.push(Value::Object(requirement));
    }
    Value::Array(requirements)
}

fn security_schemes() -> Value {
    json!({
        API_KEY: {
            "type": "apiKey", "in": "header", "name": "X-API-Key",
            "description": "For programs: a key created with `POST /api-keys`, which begins with \
                            `ak_`. It belongs to an organization. Fill in only this one, or only \
                            the two below: the key takes precedence.",
        },
        BEARER: {
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "For people: the `token` of a registration or login, without the word \
                            `Bearer`. Most operations also need the organization.",
        },
        ORGANIZATION: {
            "type": "apiKey", "in": "header", "name": ORGANIZATION_HEADER,
            "description": "For people, beside the token: the `id` of the organization in which \
                            the session acts, as `GET /auth/me` lists it.",
        },
    })
}

/// True if an area's operations are counted, and refused if there are too many.
fn is_limited(area: &str) -> bool {
    area != HEALTH
}
