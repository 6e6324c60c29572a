//! Verification of email addresses.

use domain::{
    identity::{
        session::{MAX_VERIFICATION_MAILS, VERIFICATION_LIFETIME, VERIFICATION_MAIL_WINDOW},
        user::User,
    },
    shared::fault::Faults,
};
use ports::identity::auth::TokenLimit;

use super::{Auth, hex, invalid_token, required};
use crate::{Error, shared::digest};

impl Auth {
    /// Mails a link to `page` that verifies the address of a user. Fails if the user was mailed too
    /// often.
    pub async fn mail_verification(&self, user: &User, page: &str) -> Result<(), Error> {
        let token = hex(&self.deps.random.secret());
        let hash = digest::of_secret(token.as_bytes());
        let expires_at = self.deps.clock.now() + VERIFICATION_LIFETIME;
        let limit = TokenLimit {
            most: MAX_VERIFICATION_MAILS,
            expiring_after: expires_at - VERIFICATION_MAIL_WINDOW,
        };
        if !self.deps.users.insert_verification_token(user.id, hash, expires_at, limit).await? {
            return Err(Error::RateLimited(VERIFICATION_MAIL_WINDOW));
        }
        let body = format!(
            "Somebody, probably you, registered with this address.\nThis page, valid for {} hours, \
             confirms that it is yours:\n\n{page}?token={token}\n\nIf it was not you, ignore this \
             mail.\n",
            VERIFICATION_LIFETIME.num_hours(),
        );
        self.deps.mailer.send_service_mail(&user.email, "Confirm your address", body).await
    }

    /// Marks the address of a user as verified, with the token that was mailed there.
    pub async fn verify_email(
        &self,
        token: Option<String>,
        mut found: Faults,
    ) -> Result<(), Error> {
        let token = required("token", token, &mut found);
        let token = found.require(token)?;
        let hash = digest::of_secret(token.as_bytes());
        let now = self.deps.clock.now();
        let mut tx = self.deps.identity.begin().await?;
        let user = tx.take_verification_token(hash, now).await?;
        tx.verify_email(user.ok_or_else(invalid_token)?, now).await?;
        tx.commit().await?;
        Ok(())
    }
}
