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

pub(crate) use self::sign_in::proof;
use crate::frame::{Route, get, post};

const HOME: &str = "/app";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/app/sign-in", sign_in::show),
        post("/app/sign-in", sign_in::sign_in),
        post("/app/sign-out", sign_out::sign_out),
        get("/app/register", register::show),
        post("/app/register", register::register),
        get("/app/forgot", forgot::show),
        post("/app/forgot", forgot::mail),
        get("/app/reset", reset::show),
        post("/app/reset", reset::set),
        get("/app/verify", verify::show),
        post("/app/verify", verify::verify),
        post("/app/verify/resend", verify::mail_again),
        get(join::PATH, join::show),
        post(join::PATH, join::join),
        get("/app/organizations", organizations::show),
        post("/app/organizations", organizations::enter),
        get("/app/organizations/new", new_organization::show),
        post("/app/organizations/new", new_organization::create),
    ]
}

/// True if a mailed link was refused: it is unknown, used or too old.
fn is_link_over(refusal: &Error) -> bool {
    matches!(refusal, Error::Invalid(faults) if faults.fields.contains_key("token"))
}
