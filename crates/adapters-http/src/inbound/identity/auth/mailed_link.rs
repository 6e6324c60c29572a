//! Parts of the pages behind mailed links: the token, and the answer to it.

use std::marker::PhantomData;

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, web::Query};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    answers::schema_of_one,
    endpoint::describe::{Describe, Description},
};

/// Answer to a mailed token: a page for browsers, JSON with a `T` for programs. `STATUS` is that of a
/// success.
pub(super) struct Answered<T, const STATUS: u16 = 200> {
    answer: HttpResponse,
    shown: PhantomData<T>,
}

impl<T, const STATUS: u16> From<HttpResponse> for Answered<T, STATUS> {
    fn from(answer: HttpResponse) -> Self {
        Self { answer, shown: PhantomData }
    }
}

impl<T, const STATUS: u16> Responder for Answered<T, STATUS> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.answer
    }
}

impl<T: ToSchema, const STATUS: u16> Describe for Answered<T, STATUS> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<T>(&mut description.schemas);
        description.answers_json_or_page(STATUS, schema);
    }
}

/// Describes a page, with the token in its address.
pub(super) fn describe_page(description: &mut Description) {
    describe_token(description);
    description.answers_text(200, "text/html", "<!doctype html>…");
}

pub(super) fn describe_token(description: &mut Description) {
    let schema = json!({ "type": "string" });
    description.has_query_parameter("token", "The token that was mailed.", &schema);
}

/// Returns the token in the query.
pub(super) fn token(request: &HttpRequest) -> Option<String> {
    let query = Query::<Value>::from_query(request.query_string()).ok()?;
    query.get("token")?.as_str().map(str::to_owned)
}

/// Removes from a token all that could end an attribute: valid tokens are hexadecimal.
pub(super) fn escaped(token: &str) -> String {
    token.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_cannot_leave_its_place_in_the_page() {
        assert_eq!(escaped("5e88\"><script>"), "5e88script");
    }
}
