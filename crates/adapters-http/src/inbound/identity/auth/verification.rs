//! `/auth/verify-email`: the page behind the mailed link, and the verification.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use domain::shared::fault::Faults;
use serde_json::{Value, json};

use super::{
    mailed_link::{self, Answered, escaped, token},
    view::NoticeView,
};
use crate::inbound::{
    Api,
    shared::{
        answers,
        body::Body,
        caller::Guest,
        endpoint::{Endpoint, get, post},
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
            .with(mailed_link::describe_page),
        post(PATH, "verifyEmail", verify)
            .extension()
            .summary("Verify an address.")
            .description(
                "Takes the token that was mailed at registration. It works once, for 24 hours. \
                 Browsers get a page.",
            )
            .answers("The address is verified.")
            .with(mailed_link::describe_token)
            .refuses_when(
                "The token is unknown, used or too old.",
                Faults::field("token", "is not valid any more"),
            ),
    ]
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

async fn verify(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: Body<MailedToken>,
) -> Result<Answered<NoticeView>, ApiError> {
    let (MailedToken { token: given }, faults) = body.read()?;
    let verified = api.auth.verify_email(given.or_else(|| token(&request)), faults).await;
    match verified {
        Ok(()) if is_browser(&request) => {
            Ok(html::page(StatusCode::OK, TITLE, "<p>Your address is verified.</p>").into())
        }
        Ok(()) => Ok(answers::success(StatusCode::OK, NoticeView::new(VERIFIED)).into()),
        Err(usecases::Error::Invalid(_)) if is_browser(&request) => {
            let text = "<p>This link has expired, or was used before.</p>";
            Ok(html::page(StatusCode::BAD_REQUEST, TITLE, text).into())
        }
        Err(error) => Err(error.into()),
    }
}
