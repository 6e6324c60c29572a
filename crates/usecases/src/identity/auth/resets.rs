//! Password resets by mailed links.

use domain::{
    identity::{
        password::{checked_password, weakness},
        session::{MAX_RESET_MAILS, RESET_LIFETIME, RESET_MAIL_WINDOW},
        user,
    },
    shared::fault::Faults,
};

use super::{Auth, EMAIL_REQUIRED, hex, invalid_token, required};
use crate::{
    Error,
    shared::{digest, limits::Limit},
};

impl Auth {
    /// Checks a request to reset a password without looking up the address: neither the response nor
    /// its duration may reveal if the address is registered. Call [`mail_reset`](Self::mail_reset) with
    /// the result after the response.
    pub fn forgot_password(
        &self,
        email: Option<String>,
        mut found: Faults,
    ) -> Result<String, Error> {
        let email = match email {
            Some(email) if !email.trim().is_empty() => email,
            _ if found.fields.contains_key("email") => return Err(found.into()),
            _ => return Err(Error::BadRequest(EMAIL_REQUIRED)),
        };
        let email = found.take("email", user::checked_email(Some(&email)));
        Ok(found.require(email)?)
    }

    /// Mails a link to `page` that sets a new password if `email` is registered and was not mailed too
    /// often. The mail contains no user-supplied text: anyone can register anyone's address under any
    /// name.
    pub async fn mail_reset(&self, email: &str, page: &str) -> Result<(), Error> {
        let Some(user) = self.deps.users.find_by_email(email).await? else { return Ok(()) };
        let now = self.deps.clock.now();
        let mails = self.deps.users.count_reset_mail(user.id, now, now - RESET_MAIL_WINDOW).await?;
        if mails > MAX_RESET_MAILS {
            Limit::ResetMails.count_refusal();
            tracing::info!(user = %user.id, mails, "left out a mail with a reset link");
            return Ok(());
        }
        let token = hex(&self.deps.random.secret());
        let expires_at = self.deps.clock.now() + RESET_LIFETIME;
        let hash = digest::of_secret(token.as_bytes());
        self.deps.users.insert_reset_token(user.id, hash, expires_at).await?;
        let body = format!(
            "Hello,\n\nsomebody, probably you, asked for a new password.\nThis page, valid for {} \
             minutes and for one use, sets it:\n\n{page}?token={token}\n\nIf it was not you, \
             ignore this mail: nothing has changed.\n",
            RESET_LIFETIME.num_minutes(),
        );
        self.deps.mailer.send_service_mail(&user.email, "Reset your password", body).await
    }

    /// Sets a new password with a mailed token, and ends all sessions of the user.
    pub async fn reset_password(
        &self,
        token: Option<String>,
        password: Option<String>,
        mut found: Faults,
    ) -> Result<(), Error> {
        let token = required("token", token, &mut found);
        let password = match password {
            None if found.fields.contains_key("password") => None,
            password => found.take("password", checked_password(password.as_deref(), "")),
        };
        let (token, password) = found.require(token.zip(password))?;

        let hash = self.deps.passwords.hash(password.clone()).await?;
        let mut tx = self.deps.identity.begin().await?;
        let token = digest::of_secret(token.as_bytes());
        let user = tx.take_reset_token(token, self.deps.clock.now()).await?;
        let user = user.ok_or_else(invalid_token)?;
        let address = tx.lock_user(user).await?.ok_or_else(invalid_token)?.email;
        if let Some(weakness) = weakness(&password, &address) {
            // The token is not consumed.
            return Err(Faults::field("password", weakness).into());
        }
        tx.set_password(user, &hash).await?;
        // Possession of the token proves access to the mailbox.
        tx.verify_email(user, self.deps.clock.now()).await?;
        tx.forget_all_logins(user).await?;
        tx.commit().await?;
        Ok(())
    }
}
