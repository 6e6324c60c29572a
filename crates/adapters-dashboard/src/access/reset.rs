//! `/app/reset`: the page behind a mailed link that sets a new password.

use askama::Template;
use domain::shared::fault::Faults;

use crate::frame::{Bare, Form, Guest, Labels, Posted, Query, Shown};

const LABELS: Labels = &[("password", "Password")];
/// Page that says that the password is set.
const SET: &str = "/app/sign-in?after=reset";

#[derive(Template)]
#[template(path = "access/reset.html")]
struct ResetPage {
    frame: Bare,
    form: Form,
    /// True if the link is of no use, so that there is no form.
    is_over: bool,
}

pub(super) async fn show(guest: Guest, query: Query) -> Shown {
    let token = query.get("token");
    let is_over = token.is_none();
    let form = Form::new(LABELS).with("token", token.unwrap_or_default());
    guest.show(&ResetPage { frame: guest.frame(is_over), form, is_over }, is_over)
}

pub(super) async fn set(guest: Guest, posted: Posted) -> Shown {
    let (token, password) = (posted.text("token"), posted.password("password"));
    let refusal = match guest.api().auth.reset_password(token, password, Faults::default()).await {
        Ok(()) => return Ok(guest.go(SET, None)),
        Err(refusal) => refusal,
    };
    let is_over = super::is_link_over(&refusal);
    let form = posted.form(LABELS).refused(refusal)?;
    guest.show(&ResetPage { frame: guest.frame(true), form, is_over }, true)
}
