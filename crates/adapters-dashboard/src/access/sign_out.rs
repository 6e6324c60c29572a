//! Signing out.

use crate::frame::{
    failure::Shown,
    guest::Person,
    posted::Posted,
    routes::{Route, post},
};

pub(super) fn routes() -> Vec<Route> {
    vec![post("/app/sign-out", sign_out)]
}

async fn sign_out(person: Person, _: Posted) -> Shown {
    person.api().auth.logout(&person.session).await?;
    Ok(person.leave("/app/sign-in"))
}
