//! `/app/verify`: the page behind a mailed link that verifies an address, and another such mail.

use askama::Template;
use domain::shared::fault::Faults;
use usecases::Error;

use super::HOME;
use crate::frame::{Bare, Guest, Notice, Person, Posted, Query, Shown};

/// Page that says to a person without a session that the address is verified.
const VERIFIED: &str = "/app/sign-in?after=verified";
const DONE: &str = "Your email address is verified.";

/// Page that asks for a click: mail scanners follow links.
#[derive(Template)]
#[template(path = "access/verify.html")]
struct VerifyPage {
    frame: Bare,
    /// Token of the link; `None` if the link is of no use.
    token: Option<String>,
    /// True if the page can offer another link.
    is_signed_in: bool,
}

pub(super) async fn show(guest: Guest, person: Option<Person>, query: Query) -> Shown {
    let token = query.get("token").map(str::to_owned);
    page(&guest, person.is_some(), token)
}

pub(super) async fn verify(guest: Guest, person: Option<Person>, posted: Posted) -> Shown {
    let verified = guest.api().auth.verify_email(posted.text("token"), Faults::default()).await;
    match verified {
        Ok(()) if person.is_none() => Ok(guest.go(VERIFIED, None)),
        Ok(()) => Ok(guest.go(HOME, Some(Notice::done(DONE)))),
        // The form was sent twice.
        Err(_) if person.as_ref().is_some_and(is_verified) => {
            Ok(guest.go(HOME, Some(Notice::done(DONE))))
        }
        Err(refusal) if super::is_link_over(&refusal) => page(&guest, person.is_some(), None),
        Err(refusal) => Err(refusal.into()),
    }
}

pub(super) async fn mail_again(person: Person, _: Posted) -> Shown {
    person.session.own_claims()?;
    let notice = if is_verified(&person) {
        Notice::done(DONE)
    } else {
        match person.edge.mail_verification_again(person.user()).await {
            Ok(()) => {
                Notice::done(format!("Another link is on its way to {}.", person.user().email))
            }
            Err(Error::RateLimited(_)) => Notice::bad(
                "Five links were mailed to you within an hour. Look into the folder for spam, or \
                 ask for another one in an hour.",
            ),
            Err(refusal) => return Err(refusal.into()),
        }
    };
    Ok(person.go(HOME, Some(notice)))
}

fn page(guest: &Guest, is_signed_in: bool, token: Option<String>) -> Shown {
    let is_over = token.is_none();
    guest.show(&VerifyPage { frame: guest.frame(is_over), token, is_signed_in }, is_over)
}

fn is_verified(person: &Person) -> bool {
    person.user().email_verified_at.is_some()
}
