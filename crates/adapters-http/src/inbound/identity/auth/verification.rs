//! `/auth/verify-email`: the page behind the mailed link, and the verification.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use serde_json::{Value, json};

use super::view::NoticeView;
use crate::inbound::{
    Api,
    shared::{
        answers::{self, schema_of_one},
        body::Body,
        caller::Guest,
        endpoint::{
            Endpoint,
            describe::{Describe, Description},
            get, post,
        },
        error::ApiError,
        html::{self, is_browser},
        json_fields::{Fields, FromFields, field},
    },
};

/// Path of the page that verifies an address, beside that of the dashboard.
const PATH: &str = "/auth/verify-email";
const TITLE: &str = "Your address";
const VERIFIED: &str = "the address is verified";

pub(super) fn endpoints() -> [Endpoint; 2] {
    [
        get(PATH, "showEmailVerification", page)
            .extension()
            .summary("Show the page behind the mailed link.")
            .description("The page asks for a click, because mail scanners follow links.")
            .answers("A page.")
            .with(|description| {
                describe_token(description);
                description.answers_text(200, "text/html", "<!doctype html>…");
            }),
        post(PATH, "verifyEmail", verify)
            .extension()
            .summary("Verify an address.")
            .description(
                "Takes the token that was mailed at registration. It works once, for 24 hours. \
                 Browsers get a page.",
            )
            .answers("The address is verified.")
            .with(describe_token)
            .fails(400, "The token is unknown, used or too old: `VALIDATION_ERROR`."),
    ]
}

fn describe_token(description: &mut Description) {
    let schema = json!({ "type": "string" });
    description.has_query_parameter("token", "The token that was mailed.", &schema);
}

struct MailedToken {
    token: Option<String>,
}

impl FromFields for MailedToken {
    const NAME: &'static str = "VerifyEmailRequest";
    const ABOUT: &'static str = "A mailed token.";

    fn from_fields(fields: &mut Fields) -> Self {
        let token = field("token")
            .about("The token that was mailed. It may also be in the query of the address.");
        Self { token: fields.required(token) }
    }

    fn example() -> Value {
        json!({ "token": "5e884898da28…" })
    }
}

async fn page(_: Guest, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let token = escaped(&token(&request).unwrap_or_default());
    let form = format!(
        "<p>Is this address yours?</p>\
         <form method=\"post\" action=\"verify-email?token={token}\">\
         <button>Yes, it is mine</button></form>"
    );
    Ok(html::page(StatusCode::OK, TITLE, &form))
}

/// The answer to a token: a page for browsers, JSON for programs.
struct Verified(HttpResponse);

impl Responder for Verified {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.0
    }
}

impl Describe for Verified {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<NoticeView>(&mut description.schemas);
        description.answers_json_or_page(200, schema);
    }
}

async fn verify(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: Body<MailedToken>,
) -> Result<Verified, ApiError> {
    let (MailedToken { token: given }, faults) = body.read()?;
    let verified = api.auth.verify_email(given.or_else(|| token(&request)), faults).await;
    match verified {
        Ok(()) if is_browser(&request) => {
            Ok(Verified(html::page(StatusCode::OK, TITLE, "<p>Your address is verified.</p>")))
        }
        Ok(()) => Ok(Verified(answers::success(StatusCode::OK, NoticeView::new(VERIFIED)))),
        Err(usecases::Error::Invalid(_)) if is_browser(&request) => {
            let text = "<p>This link has expired, or was used before.</p>";
            Ok(Verified(html::page(StatusCode::BAD_REQUEST, TITLE, text)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the token in the query.
fn token(request: &HttpRequest) -> Option<String> {
    let query = actix_web::web::Query::<Value>::from_query(request.query_string()).ok()?;
    query.get("token")?.as_str().map(str::to_owned)
}

/// Removes from a token all that could end an attribute: valid tokens are hexadecimal.
fn escaped(token: &str) -> String {
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
