//! `/auth/reset-password`: the page behind the mailed link, and the new password.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::StatusCode,
    web::{Data, Query},
};
use domain::shared::fault::Faults;
use serde_json::{Value, json};
use usecases::Error;

use super::{NEW_PASSWORD, view::NoticeView};
use crate::inbound::{
    Api,
    shared::{
        answers::{self, schema_of_one},
        caller::Guest,
        endpoint::{
            Endpoint,
            describe::{Describe, Description},
            get, post,
        },
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
            .with(|description| {
                let schema = json!({ "type": "string" });
                description.has_query_parameter("token", "The token that was mailed.", &schema);
                description.answers_text(200, "text/html", "<!doctype html>…");
            }),
        post(PATH, "resetPassword", reset)
            .summary("Set a new password.")
            .description(
                "Ends all sessions of the user. A token works once, for 30 minutes. Browsers get \
                 a page.",
            )
            .answers("The password is set.")
            .fails(
                400,
                "The input is invalid, the password weak or the token expired: \
                 `VALIDATION_ERROR`.",
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

/// Answer to a new password: a page for browsers, JSON for programs.
struct Answered(HttpResponse);

impl Responder for Answered {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.0
    }
}

impl Describe for Answered {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<NoticeView>(&mut description.schemas);
        description.answers_json_or_page(200, schema);
    }
}

async fn page(_: Guest, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let query = Query::<Value>::from_query(request.query_string()).ok();
    let token = query.and_then(|query| query.get("token")?.as_str().map(str::to_owned));
    Ok(html::page(StatusCode::OK, TITLE, &form(&token.unwrap_or_default())))
}

async fn reset(
    _: Guest,
    api: Data<Api>,
    request: HttpRequest,
    body: JsonOrForm<NewPassword>,
) -> Result<Answered, ApiError> {
    let (NewPassword { token, password }, faults) = body.read()?;
    let shown_token = token.clone().unwrap_or_default();
    match api.auth.reset_password(token, password, faults).await {
        Ok(()) if is_browser(&request) => {
            let text = "<p>Your new password is set. Sign in with it: all your sessions have \
                        ended.</p>";
            Ok(Answered(html::page(StatusCode::OK, TITLE, text)))
        }
        Ok(()) => Ok(Answered(answers::success(StatusCode::OK, NoticeView::new(UPDATED)))),
        Err(Error::Invalid(faults)) if is_browser(&request) => {
            let text = refusal(&faults, &shown_token);
            Ok(Answered(html::page(StatusCode::BAD_REQUEST, TITLE, &text)))
        }
        Err(error) if is_browser(&request) => {
            Ok(Answered(html::refused(&request, &error.into(), TITLE)))
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

/// Returns the form with a new password. Only letters and digits are taken from the token, so that it
/// cannot leave its attribute.
fn form(token: &str) -> String {
    let token: String = token.chars().filter(char::is_ascii_alphanumeric).collect();
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
