//! `/auth/invitations/accept`: the page behind the link of an invitation, and the acceptance.

use std::net::IpAddr;

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, ResponseError,
    dev::Payload,
    http::{StatusCode, header::AUTHORIZATION},
    web::Data,
};
use domain::identity::user::User;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::{
        auth::{EMAIL_EXISTS, REGISTRATION_CLOSED},
        members::{Acceptance, INVITED_OTHER_ADDRESS},
    },
    shared::limits::RateLimitSlot,
};

use super::{
    EMAIL, NEW_PASSWORD,
    mailed_link::{self, Answered},
    view::AcceptanceView,
};
use crate::inbound::{
    Api,
    shared::{
        answers,
        caller::{Bearer, Guest, client},
        endpoint::{
            Endpoint,
            callers::BEARER,
            describe::{Describe, Description},
            get, post,
        },
        error::ApiError,
        html::{self, escape, is_browser},
        json_fields::{Fields, FromFields, field},
        json_or_form::JsonOrForm,
        request_id::ThisRequest,
    },
};

/// Path of the page that accepts an invitation, beside that of the dashboard.
const PATH: &str = "/auth/invitations/accept";
const TITLE: &str = "Your invitation";
const API_KEY: &str = "X-API-Key";

pub(super) fn endpoints() -> [Endpoint; 2] {
    [
        get(PATH, "showInvitation", page)
            .extension()
            .summary("Show the page behind the link of an invitation.")
            .description("Its form creates an account and accepts the invitation.")
            .answers("A page.")
            .with(mailed_link::describe_page),
        post(PATH, "acceptInvitation", accept)
            .extension()
            .summary("Accept an invitation.")
            .description(
                "A user sends `token` with a session; the address of the user must be the invited \
                 one. A person without an account sends the other fields too, and gets an account \
                 with a verified address and a session. Somebody who is a member already keeps \
                 their role. A token works once. Browsers get a page.",
            )
            .answers("The membership.")
            .refuses(Error::Forbidden(INVITED_OTHER_ADDRESS))
            .refuses(Error::Forbidden(REGISTRATION_CLOSED))
            .refuses(Error::Conflict(EMAIL_EXISTS)),
    ]
}

impl FromFields for Acceptance {
    const NAME: &'static str = "AcceptInvitationRequest";
    const ABOUT: &'static str =
        "The token of an invitation, and a new user if nobody is signed in.";

    fn from_fields(fields: &mut Fields) -> Self {
        let token = field("token").about("The token that was mailed.");
        Self {
            token: fields.required(token),
            email: fields.optional(EMAIL.about("The invited address, which is also the default.")),
            password: fields.optional(NEW_PASSWORD.about("Required without a session.")),
            first_name: fields
                .optional(field("firstName").about("Given name. Required without a session.")),
            last_name: fields
                .optional(field("lastName").about("Family name. Required without a session.")),
        }
    }

    fn example() -> Value {
        json!({
            "token": "5e884898da28…", "password": "correct horse battery", "firstName": "Esi",
            "lastName": "Quartey",
        })
    }
}

/// User with a session of their own, or a person without credentials.
enum Invited {
    User(User),
    Guest(IpAddr, RateLimitSlot),
}

impl FromRequest for Invited {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let headers = request.headers();
        if headers.contains_key(AUTHORIZATION) || headers.contains_key(API_KEY) {
            let bearer = Bearer::from_request(request, payload);
            return Box::pin(async move { bearer.await.map(|Bearer(user)| Self::User(user)) });
        }
        let guest = Guest::from_request(request, payload);
        Box::pin(async move { guest.await.map(|Guest(address, slot)| Self::Guest(address, slot)) })
    }
}

impl Describe for Invited {
    fn describe(description: &mut Description) {
        description.security = &[&[], &[BEARER]];
        description.is_counted = true;
    }
}

async fn page(_: Guest, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let token = mailed_link::token(&request).unwrap_or_default();
    Ok(html::page(StatusCode::OK, TITLE, &form(&token)))
}

async fn accept(
    invited: Invited,
    ThisRequest(request_id): ThisRequest,
    api: Data<Api>,
    request: HttpRequest,
    body: JsonOrForm<Acceptance>,
) -> Result<Answered<AcceptanceView, 201>, ApiError> {
    let (acceptance, faults) = body.read()?;
    let token = acceptance.token.clone().unwrap_or_default();
    let accepted = match invited {
        Invited::User(user) => {
            let accepted = api.members.accept(user, acceptance, request_id, faults).await;
            accepted.map(AcceptanceView::of_member).map_err(ApiError::from)
        }
        Invited::Guest(address, slot) => {
            api.limits.registration(address, &slot).await?;
            match api.members.register(acceptance, request_id, faults).await {
                Ok(accepted) => {
                    let client = client(&api, &request);
                    let session = api.auth.begin(accepted.user, &client).await?;
                    Ok(AcceptanceView::of_session(session, accepted.membership))
                }
                Err(error) => Err(error.into()),
            }
        }
    };
    match accepted {
        Ok(_) if is_browser(&request) => {
            let text = "<p>You are a member now. Your account is ready: sign in with it.</p>";
            Ok(html::page(StatusCode::CREATED, TITLE, text).into())
        }
        Ok(accepted) => Ok(answers::success(StatusCode::CREATED, accepted).into()),
        Err(error @ ApiError::Refused(_)) if is_browser(&request) => {
            let text = format!("<p>{}</p>{}", escape(&error.to_string()), form(&token));
            Ok(html::page(error.status_code(), TITLE, &text).into())
        }
        Err(error) => Err(error),
    }
}

/// Returns the form with which a person without an account accepts.
fn form(token: &str) -> String {
    let token = mailed_link::escaped(token);
    format!(
        "<p>You are invited to an organization. Create your account to join it:</p>\
         <form method=\"post\" action=\"accept\">\
         <input type=\"hidden\" name=\"token\" value=\"{token}\">\
         <p><label>Given name <input name=\"firstName\" required></label></p>\
         <p><label>Family name <input name=\"lastName\" required></label></p>\
         <p><label>New password <input name=\"password\" type=\"password\" minlength=\"8\" \
         autocomplete=\"new-password\" required></label></p>\
         <button>Join</button></form>\
         <p>If you have an account with this address, sign in to it and accept there with this \
         token:<br><small>{token}</small></p>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_cannot_leave_its_place_in_the_form() {
        let form = form("5e88\"><script>");
        assert!(form.contains("value=\"5e88script\"") && !form.contains("<script>"));
    }
}
