//! Attempts to sign in, and to give another proof of who one is.

use chrono::{DateTime, Utc};
use domain::identity::session::LOGIN_WINDOW;
use ports::identity::auth::UserRepository;

use crate::{Error, shared::limits::Limit};

/// Counts an attempt of a user from an address. Fails if there were too many.
pub(super) async fn count_attempt(
    users: &dyn UserRepository,
    email: &str,
    address: &str,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let attempts = users.count_login(email, address, now, now - LOGIN_WINDOW).await?;
    let Some(wait) = attempts.wait(now) else { return Ok(()) };
    Limit::Logins.count_refusal();
    Err(Error::RateLimited(wait))
}
