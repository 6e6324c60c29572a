//! `/app/reset`: the page behind a mailed link that sets a new password.

use askama::Template;
use domain::shared::fault::Faults;

use crate::frame::{
    failure::Shown,
    form::{Form, Labels},
    guest::Guest,
    page::Bare,
    posted::Posted,
    query::Query,
    routes::{Route, get, post},
};

const PATH: &str = "/app/reset";
const LABELS: Labels = &[("password", "Password")];
/// Page that says that the password is set.
const SET: &str = "/app/sign-in?after=reset";

/// Page with the form.
#[derive(Template)]
#[template(path = "access/reset.html")]
struct ResetPage {
    frame: Bare,
    form: Form,
    /// True if the link is of no use, so that there is no form.
    is_over: bool,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, show), post(PATH, set)]
}

async fn show(guest: Guest, query: Query) -> Shown {
    let token = query.get("token");
    let is_over = token.is_none();
    let form = Form::new(LABELS).with("token", token.unwrap_or_default());
    guest.show(&ResetPage { frame: guest.frame(is_over), form, is_over }, is_over)
}

async fn set(guest: Guest, posted: Posted) -> Shown {
    let (token, password) = (posted.text("token"), super::password(&posted));
    let refusal = match guest.api().auth.reset_password(token, password, Faults::default()).await {
        Ok(()) => return Ok(guest.go(SET, None)),
        Err(refusal) => refusal,
    };
    let is_over = super::is_link_over(&refusal);
    let form = posted.form(LABELS).refused(refusal)?;
    guest.show(&ResetPage { frame: guest.frame(true), form, is_over }, true)
}
