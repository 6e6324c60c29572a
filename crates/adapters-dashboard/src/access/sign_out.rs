//! Signing out.

use crate::frame::{Person, Posted, Shown};

pub(super) async fn sign_out(person: Person, _: Posted) -> Shown {
    person.api().auth.logout(&person.session).await?;
    Ok(person.leave("/app/sign-in"))
}
