//! Access: signing in and out, registration, passwords, invitations, and the choice of an organization.

mod forgot;
mod join;
mod new_organization;
mod organizations;
mod register;
mod reset;
mod sign_in;
mod sign_out;
mod verify;

use usecases::Error;

use crate::frame::{posted::Posted, routes::Route};

/// Address of the first page.
const HOME: &str = "/app";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [
        sign_in::routes(),
        sign_out::routes(),
        register::routes(),
        forgot::routes(),
        reset::routes(),
        verify::routes(),
        join::routes(),
        organizations::routes(),
        new_organization::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the password of a form, blanks included; `None` if it is empty.
fn password(posted: &Posted) -> Option<String> {
    Some(posted.raw("password").to_owned()).filter(|password| !password.is_empty())
}

/// True if a mailed link was refused: it is unknown, used or too old.
fn is_link_over(refusal: &Error) -> bool {
    matches!(refusal, Error::Invalid(faults) if faults.fields.contains_key("token"))
}
