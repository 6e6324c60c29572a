//! `/auth/verify-email`: the page behind the mailed link, and what its button does.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::{
        StatusCode,
        header::{ACCEPT, CONTENT_SECURITY_POLICY, ContentType, REFERRER_POLICY},
    },
    post,
    web::Data,
};
use domain::user::User;
use serde_json::Value;
use usecases::auth::Auth;
use utoipa::ToSchema;

use super::view::NoticeView;
use crate::inbound::{
    Api,
    body::Body,
    caller::Guest,
    envelope::{self, FailureView, Success},
    error::Failure,
    form::{Fields, FromFields},
};

/// Where the mailed link leads.
pub(super) const PATH: &str = "/auth/verify-email";
/// The page loads nothing, and nobody may frame it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";
const VERIFIED: &str = "the address is verified";

/// A mailed token.
#[derive(ToSchema)]
#[schema(example = json!({ "token": "5e884898da28…" }))]
struct VerifyEmailRequest {
    /// The token that was mailed. In the query of the address it serves as well.
    #[schema(value_type = String)]
    token: Option<String>,
}

impl FromFields for VerifyEmailRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { token: fields.optional("token") }
    }
}

/// Show the page behind the mailed link.
///
/// Extension: it asks for a click, because programs that look through mails follow links.
#[utoipa::path(
    operation_id = "showEmailVerification",
    tag = "Authentication",
    params(("token" = Option<String>, Query, description = "The token that was mailed.")),
    responses((status = 200, description = "A page.", body = String, content_type = "text/html")),
)]
#[get("/auth/verify-email")]
pub(super) async fn page(_: Guest, request: HttpRequest) -> Result<HttpResponse, Failure> {
    let token = escaped(&token(&request).unwrap_or_default());
    let form = format!(
        "<p>Is this address yours?</p>\
         <form method=\"post\" action=\"verify-email?token={token}\">\
         <button>Yes, it is mine</button></form>"
    );
    Ok(html(StatusCode::OK, &form))
}

/// Verify an address.
///
/// Extension: with the token that was mailed at registration. It works once, for 24 hours.
#[utoipa::path(
    operation_id = "verifyEmail",
    tag = "Authentication",
    params(("token" = Option<String>, Query, description = "The same as the field `token`.")),
    request_body = VerifyEmailRequest,
    responses(
        (status = 200, description = "The address is verified.", body = Success<NoticeView>),
        (status = 400, description = "The token is unknown, used or too old: `VALIDATION_ERROR`.",
         body = FailureView),
    ),
)]
#[post("/auth/verify-email")]
pub(super) async fn verify(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (VerifyEmailRequest { token: given }, found) = body.read()?;
    let verified = api.auth.verify_email(given.or_else(|| token(&request)), found).await;
    match verified {
        Ok(()) if is_browser(&request) => {
            Ok(html(StatusCode::OK, "<p>Your address is verified.</p>"))
        }
        Ok(()) => Ok(envelope::ok(NoticeView::new(VERIFIED))),
        Err(usecases::Error::InvalidMailedToken) if is_browser(&request) => {
            let text = "<p>This link has expired, or was used before.</p>";
            Ok(html(StatusCode::BAD_REQUEST, text))
        }
        Err(error) => Err(error.into()),
    }
}

/// Goes on after the answer, which must not wait for it.
pub(super) async fn mail(auth: Auth, user: User, public_url: String) {
    let _permit = super::MAILERS.acquire().await;
    if let Err(error) = auth.mail_verification(&user, &format!("{public_url}{PATH}")).await {
        tracing::error!(%error, "failed to mail a verification link");
    }
}

/// The token in the query.
fn token(request: &HttpRequest) -> Option<String> {
    let query = actix_web::web::Query::<Value>::from_query(request.query_string()).ok()?;
    query.get("token")?.as_str().map(str::to_owned)
}

/// A token without what could end an attribute: ours are hexadecimal.
fn escaped(token: &str) -> String {
    token.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn is_browser(request: &HttpRequest) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn html(status: StatusCode, content: &str) -> HttpResponse {
    HttpResponse::build(status)
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        // The address holds a secret.
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .body(format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>Your address</title>\
             <body style=\"font-family: sans-serif; margin: 4em auto; max-width: 30em\">\
             {content}</body></html>"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_cannot_leave_its_place_in_the_page() {
        assert_eq!(escaped("5e88\"><script>"), "5e88script");
    }
}
