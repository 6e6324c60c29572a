//! The documentation that follows from the types in a handler's signature.

use std::collections::BTreeMap;

use actix_web::{FromRequest, HttpRequest, HttpResponse, web::Data};
use domain::identity::scope::Scope;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

/// Media type of an answer without a body.
pub(in crate::inbound) const NO_BODY: &str = "";

/// Operation of OpenAPI, as far as the handler's signature describes it.
#[derive(Default)]
pub(in crate::inbound) struct Description {
    pub(in crate::inbound) parameters: Vec<Value>,
    pub(in crate::inbound) body: Option<Value>,
    /// Ways to authenticate, each a set of security schemes. Empty: no authentication.
    pub(in crate::inbound) security: &'static [&'static [&'static str]],
    /// True if a session may call it.
    pub(in crate::inbound) takes_session: bool,
    /// Scope that the key of a program needs; `None` if no key may call it, or any.
    pub(in crate::inbound) scope: Option<Scope>,
    /// True if its requests are counted against the limits that answers report.
    pub(in crate::inbound) is_counted: bool,
    /// Names of the things that the path identifies, each of which may not exist.
    pub(in crate::inbound) identified: Vec<&'static str>,
    pub(in crate::inbound) responses: BTreeMap<u16, Response>,
    pub(in crate::inbound) schemas: Schemas,
}

/// Response of OpenAPI.
pub(in crate::inbound) struct Response {
    /// Description of its content; empty for the description that the endpoint gives.
    pub(in crate::inbound) description: &'static str,
    pub(in crate::inbound) media_type: &'static str,
    pub(in crate::inbound) schema: Value,
    pub(in crate::inbound) example: Option<Value>,
    pub(in crate::inbound) headers: Map<String, Value>,
    /// True if browsers get a page with the same content.
    pub(in crate::inbound) has_page: bool,
}

impl Description {
    /// Adds an answer of JSON.
    pub(in crate::inbound) fn answers_json(&mut self, status: u16, schema: Value) -> &mut Response {
        self.respond(status, "application/json", schema)
    }

    /// Adds an answer of text.
    pub(in crate::inbound) fn answers_text(
        &mut self,
        status: u16,
        media_type: &'static str,
        example: &str,
    ) {
        let response = self.respond(status, media_type, json!({ "type": "string" }));
        response.example = Some(json!(example));
    }

    /// Adds an answer of JSON, which browsers get as a page.
    pub(in crate::inbound) fn answers_json_or_page(&mut self, status: u16, schema: Value) {
        self.answers_json(status, schema).has_page = true;
    }

    /// Adds an answer without a body.
    pub(in crate::inbound) fn answers_nothing(&mut self, status: u16) -> &mut Response {
        self.respond(status, NO_BODY, Value::Null)
    }

    fn respond(&mut self, status: u16, media_type: &'static str, schema: Value) -> &mut Response {
        self.responses.entry(status).or_insert(Response {
            description: "",
            media_type,
            schema,
            example: None,
            headers: Map::new(),
            has_page: false,
        })
    }

    /// Adds a parameter of the address that every request has.
    pub(in crate::inbound) fn has_path_parameter(
        &mut self,
        name: &str,
        about: &str,
        schema: &Value,
    ) {
        self.parameters.push(json!({
            "name": name, "in": "path", "required": true, "description": about, "schema": schema,
        }));
    }

    /// Adds a parameter of the query that requests may have. One that is empty counts as missing.
    pub(in crate::inbound) fn has_query_parameter(
        &mut self,
        name: &str,
        about: &str,
        schema: &Value,
    ) {
        self.parameters.push(json!({
            "name": name, "in": "query", "required": false, "allowEmptyValue": true,
            "description": about, "schema": schema,
        }));
    }

    /// Adds parameters of the query with a key in brackets, such as `metadata[order]`.
    pub(in crate::inbound) fn has_query_pairs(&mut self, name: &str, about: &str) {
        self.parameters.push(json!({
            "name": name, "in": "query", "required": false, "style": "deepObject", "explode": true,
            "description": about,
            "schema": { "type": "object", "additionalProperties": { "type": "string" } },
        }));
    }
}

/// Type in the signature of a handler that documents the operation.
pub(in crate::inbound) trait Describe {
    /// True if it reads the query string.
    const READS_QUERY: bool = false;

    /// Adds its documentation.
    fn describe(description: &mut Description);
}

/// The arguments of a handler.
pub(in crate::inbound) trait Arguments:
    FromRequest + Describe + 'static
{
}

impl<A: FromRequest + Describe + 'static> Arguments for A {}

impl<T, E> Describe for Result<T, E>
where
    T: Describe,
{
    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

impl<T> Describe for Data<T> {
    fn describe(_: &mut Description) {}
}

impl Describe for HttpRequest {
    fn describe(_: &mut Description) {}
}

/// Adds nothing: the endpoint itself describes such an answer.
impl Describe for HttpResponse {
    fn describe(_: &mut Description) {}
}

impl Describe for () {
    fn describe(_: &mut Description) {}
}

impl<A: Describe> Describe for (A,) {
    const READS_QUERY: bool = A::READS_QUERY;

    fn describe(description: &mut Description) {
        A::describe(description);
    }
}

impl<A: Describe, B: Describe> Describe for (A, B) {
    const READS_QUERY: bool = A::READS_QUERY || B::READS_QUERY;

    fn describe(description: &mut Description) {
        A::describe(description);
        B::describe(description);
    }
}

impl<A: Describe, B: Describe, C: Describe> Describe for (A, B, C) {
    const READS_QUERY: bool = <(A, B)>::READS_QUERY || C::READS_QUERY;

    fn describe(description: &mut Description) {
        <(A, B)>::describe(description);
        C::describe(description);
    }
}

impl<A: Describe, B: Describe, C: Describe, D: Describe> Describe for (A, B, C, D) {
    const READS_QUERY: bool = <(A, B, C)>::READS_QUERY || D::READS_QUERY;

    fn describe(description: &mut Description) {
        <(A, B, C)>::describe(description);
        D::describe(description);
    }
}

impl<A: Describe, B: Describe, C: Describe, D: Describe, E: Describe> Describe for (A, B, C, D, E) {
    const READS_QUERY: bool = <(A, B, C, D)>::READS_QUERY || E::READS_QUERY;

    fn describe(description: &mut Description) {
        <(A, B, C, D)>::describe(description);
        E::describe(description);
    }
}
