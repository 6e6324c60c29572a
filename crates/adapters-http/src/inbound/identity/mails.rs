//! Mails with links that prove an address. They are sent after the answer, a few at a time.

use domain::identity::user::User;
use tokio::sync::{Semaphore, SemaphorePermit};
use usecases::{Error, identity::auth::Auth, shared::limits::Limit};

use crate::inbound::Api;

/// Path of the page behind a link that verifies an address.
const VERIFICATION_PAGE: &str = "/app/verify";
/// Path of the page behind a link that sets a new password.
const RESET_PAGE: &str = "/app/reset";
/// Path of the page behind an invitation.
const INVITATION_PAGE: &str = "/app/join";

/// Mails that are prepared at the same time.
static MAILERS: Semaphore = Semaphore::const_new(16);
/// Mails that are prepared or wait.
static MAILS: Semaphore = Semaphore::const_new(256);

/// Mails a link that verifies the address of a new user, unless too many wait: a user can do without
/// it.
pub(crate) fn verification(api: &Api, user: User) {
    let Ok(place) = place() else {
        tracing::warn!(user = %user.id, "left out a verification link: too many wait");
        return;
    };
    let (auth, page) = (api.auth.clone(), verification_page(api));
    api.background.spawn(async move {
        let _place = place;
        let _permit = MAILERS.acquire().await;
        if let Err(error) = auth.mail_verification(&user, &page).await {
            tracing::error!(%error, "failed to mail a verification link");
        }
    });
}

/// Mails another link that verifies the address of a user. Fails if the user was mailed too often, or
/// if too many mails wait.
pub(crate) async fn verification_again(api: &Api, user: &User) -> Result<(), Error> {
    let _place = place()?;
    api.auth.mail_verification(user, &verification_page(api)).await
}

/// Mails a link that sets a new password, if a user has the address. Fails if too many mails wait.
pub(crate) fn reset(api: &Api, email: String) -> Result<(), Error> {
    let place = place()?;
    api.background.spawn(mail_reset(api.auth.clone(), email, page(api, RESET_PAGE), place));
    Ok(())
}

async fn mail_reset(auth: Auth, email: String, page: String, _place: SemaphorePermit<'static>) {
    let _permit = MAILERS.acquire().await;
    if let Err(error) = auth.mail_reset(&email, &page).await {
        tracing::error!(%error, "failed to mail a reset token");
    }
}

/// Returns a place among the mails that wait. Fails if there are too many.
fn place() -> Result<SemaphorePermit<'static>, Error> {
    MAILS.try_acquire().map_err(|_| {
        Limit::Mails.count_refusal();
        Error::Overloaded
    })
}

/// Returns the address of the page that verifies an address.
fn verification_page(api: &Api) -> String {
    page(api, VERIFICATION_PAGE)
}

/// Returns the address of the page on which an invitation is accepted.
pub(crate) fn invitation_page(api: &Api) -> String {
    page(api, INVITATION_PAGE)
}

fn page(api: &Api, path: &str) -> String {
    format!("{}{path}", api.public_url)
}
