//! `/app/sign-in`

use askama::Template;
use domain::{identity::user::RegistrationRule, shared::fault::Faults};
use usecases::Error;
use usecases::identity::auth::{Credentials, INVALID_CREDENTIALS};
use usecases::identity::second_factors::{Proof, SECOND_FACTOR_REQUIRED};

use super::HOME;
use crate::frame::{Bare, Form, Guest, Labels, Posted, Query, Shown};

const LABELS: Labels = &[("email", "Email"), ("password", "Password"), ("code", "Code")];
/// Number of digits of a code of an authenticator app.
const CODE_DIGITS: usize = 6;

#[derive(Template)]
#[template(path = "access/sign_in.html")]
struct SignInPage {
    frame: Bare,
    form: Form,
    /// True if the user has a second factor, whose code is asked for.
    asks_for_code: bool,
    /// Act after which the page is shown: `forgot`, `reset` or `verified`.
    after: String,
    /// True if everybody may register.
    is_open: bool,
}

pub(super) async fn show(guest: Guest, query: Query) -> Shown {
    let form = Form::new(LABELS).with("next", query.get("next").unwrap_or_default());
    let page = SignInPage {
        frame: guest.frame(false),
        form,
        asks_for_code: false,
        after: query.get("after").unwrap_or_default().to_owned(),
        is_open: is_open(&guest),
    };
    guest.show(&page, false)
}

pub(super) async fn sign_in(guest: Guest, posted: Posted) -> Shown {
    let credentials = Credentials {
        email: posted.text("email"),
        password: posted.password("password"),
        proof: proof(posted.text("code")),
    };
    let signed_in =
        guest.api().auth.login(credentials, guest.edge.client(), Faults::default()).await;
    let refusal = match signed_in {
        Ok((session, memberships)) => {
            let organization = memberships.first().map(|membership| membership.organization);
            return Ok(guest.begin(&session, organization, next(posted.raw("next")), None));
        }
        Err(refusal) => refusal,
    };
    let asks_for_code = refusal.reason() == Some(&SECOND_FACTOR_REQUIRED) || posted.is_set("code");
    let form = posted.form(LABELS);
    let form = match &refusal {
        Error::Unauthenticated(reason) if *reason == INVALID_CREDENTIALS => {
            form.with_fault("", "The email or the password is wrong.")
        }
        Error::Unauthenticated(_) if !posted.is_set("code") => {
            form.with_fault("code", "Enter the code of your authenticator app")
        }
        Error::Unauthenticated(_) => form.with_fault("code", "The code is wrong or was used"),
        _ => form.refused(refusal)?,
    };
    let page = SignInPage {
        frame: guest.frame(true),
        form,
        asks_for_code,
        after: String::new(),
        is_open: is_open(&guest),
    };
    guest.show(&page, true)
}

fn is_open(guest: &Guest) -> bool {
    guest.api().auth.registration() == RegistrationRule::Open
}

/// Reads the field for a code: six digits are a code of an app, anything else is a recovery code.
pub(crate) fn proof(text: Option<String>) -> Proof {
    let code: String = text.as_deref().unwrap_or_default().split_whitespace().collect();
    if code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit()) {
        Proof { code: Some(code), recovery_code: None }
    } else {
        Proof { code: None, recovery_code: text }
    }
}

/// Returns the page that was asked for before signing in. An address of another site is none, nor is
/// what no header can hold.
fn next(asked: &str) -> &str {
    let is_own = asked == HOME || asked.starts_with("/app/") || asked.starts_with("/app?");
    if is_own && asked.bytes().all(|byte| byte.is_ascii_graphic()) { asked } else { HOME }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_a_code_and_anything_else_is_a_recovery_code() {
        for text in ["287082", "287 082"] {
            let proof = proof(Some(text.to_owned()));
            assert_eq!((proof.code.as_deref(), proof.recovery_code), (Some("287082"), None));
        }
        for text in ["GEZD-GNBV-GY3T-QOJQ", "28708", "2870822", "２８７０８２"] {
            let proof = proof(Some(text.to_owned()));
            assert_eq!((proof.code, proof.recovery_code.as_deref()), (None, Some(text)));
        }
        let nothing = proof(None);
        assert_eq!((nothing.code, nothing.recovery_code), (None, None));
    }

    #[test]
    fn signing_in_leads_to_pages_of_the_dashboard_only() {
        for own in ["/app", "/app/messages?status=FAILED", "/app?tab=1"] {
            assert_eq!(next(own), own);
        }
        for other in ["", "/", "//example.com", "https://example.com/app/", "/application", "/auth"]
        {
            assert_eq!(next(other), HOME, "{other}");
        }
        for unheard in ["/app/\r\nset-cookie: atumpan=1", "/app/é", "/app/a b"] {
            assert_eq!(next(unheard), HOME, "{unheard}");
        }
    }
}
