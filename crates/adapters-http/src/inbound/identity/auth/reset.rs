//! `/auth/reset-password`: the page behind the mailed link, and the new password.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use domain::shared::fault::Faults;
use serde_json::{Value, json};
use usecases::Error;

use super::{
    NEW_PASSWORD,
    mailed_link::{self, Answered},
    view::NoticeView,
};
use crate::inbound::{
    Api,
    shared::{
        answers,
        caller::Guest,
        endpoint::{Endpoint, get, post},
        error::ApiError,
        html::{self, escape, is_browser},
        json_fields::{Fields, FromFields, field},
        json_or_form::JsonOrForm,
    },
};

/// Path of the page that sets a new password, beside that of the dashboard.
const PATH: &str = "/auth/reset-password";
const TITLE: &str = "Your password";
const UPDATED: &str = "the password is updated";

pub(super) fn endpoints() -> [Endpoint; 2] {
    [
        get(PATH, "showPasswordReset", page)
            .extension()
            .summary("Show the page behind the link of a password reset.")
            .description("Its form sets a new password. The page itself does not use the token.")
            .answers("A page.")
            .with(mailed_link::describe_page),
        post(PATH, "resetPassword", reset)
            .summary("Set a new password.")
            .description(
                "Ends all sessions of the user. A token works once, for 30 minutes. Browsers get \
                 a page.",
            )
            .answers("The password is set.")
            .refuses_when(
                "The password is weak, or the token expired.",
                Faults::field("token", "is not valid any more"),
            ),
    ]
}

struct NewPassword {
    token: Option<String>,
    password: Option<String>,
}

impl FromFields for NewPassword {
    const NAME: &'static str = "ResetPasswordRequest";
    const ABOUT: &'static str = "A new password.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            token: fields.required(field("token").about("The token that was mailed.")),
            password: fields.required(NEW_PASSWORD),
        }
    }

    fn example() -> Value {
        json!({ "token": "5e884898da28…", "password": "correct horse battery" })
    }
}

async fn page(_: Guest, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let token = mailed_link::token(&request).unwrap_or_default();
    Ok(html::page(StatusCode::OK, TITLE, &form(&token)))
}

async fn reset(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: JsonOrForm<NewPassword>,
) -> Result<Answered<NoticeView>, ApiError> {
    let (NewPassword { token, password }, faults) = body.read()?;
    let shown_token = token.clone().unwrap_or_default();
    match api.auth.reset_password(token, password, faults).await {
        Ok(()) if is_browser(&request) => {
            let text = "<p>Your new password is set. Sign in with it: all your sessions have \
                        ended.</p>";
            Ok(html::page(StatusCode::OK, TITLE, text).into())
        }
        Ok(()) => Ok(answers::success(StatusCode::OK, NoticeView::new(UPDATED)).into()),
        Err(Error::Invalid(faults)) if is_browser(&request) => {
            let text = refusal(&faults, &shown_token);
            Ok(html::page(StatusCode::BAD_REQUEST, TITLE, &text).into())
        }
        Err(error) if is_browser(&request) => {
            Ok(html::refused(&request, &error.into(), TITLE).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the content of the page after a refusal. The form is left out if the link is of no use.
fn refusal(faults: &Faults, token: &str) -> String {
    if faults.fields.contains_key("token") {
        return "<p>This link has expired, or was used before. Ask for another one.</p>".to_owned();
    }
    let faults = faults.fields.get("password").into_iter().flatten();
    let texts = faults.map(|fault| format!("<p>The password {}.</p>", escape(fault)));
    texts.collect::<Vec<_>>().concat() + &form(token)
}

/// Returns the form with a new password.
fn form(token: &str) -> String {
    let token = mailed_link::escaped(token);
    format!(
        "<p>Choose a new password. It ends all your sessions.</p>\
         <form method=\"post\" action=\"reset-password\">\
         <input type=\"hidden\" name=\"token\" value=\"{token}\">\
         <p><label>New password <input name=\"password\" type=\"password\" minlength=\"8\" \
         autocomplete=\"new-password\" required></label></p>\
         <button>Set the password</button></form>"
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

    #[test]
    fn the_form_is_shown_again_unless_the_link_is_of_no_use() {
        let weak = refusal(&Faults::field("password", "is <too> short"), "5e88");
        assert!(weak.contains("is &lt;too&gt; short") && weak.contains("value=\"5e88\""));
        assert!(!refusal(&Faults::field("token", "has expired"), "5e88").contains("<form"));
    }
}
