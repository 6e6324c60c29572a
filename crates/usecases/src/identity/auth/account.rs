//! The account of a signed-in user: sessions, names, password.

use domain::{
    identity::{
        open_session::{Client, MAX_LISTED, OpenSession},
        organization::Membership,
        password,
        session::Claims,
        user::{User, UserUpdate},
    },
    shared::{fault::Faults, id::Id},
};

use super::{Auth, SESSION_ENDED, SignedIn, UNAUTHORIZED, required};
use crate::Error;

const NOT_FOUND: Error = Error::NotFound("session");
/// Fault of a wrong password.
const WRONG: &str = "is wrong";

/// Unchecked change of a password.
#[derive(Clone, Default)]
pub struct PasswordChange {
    /// Present password. Required.
    pub current_password: Option<String>,
    /// New password. Required.
    pub new_password: Option<String>,
}

impl Auth {
    /// Ends a session with all its tokens.
    pub async fn logout(&self, session: &SignedIn) -> Result<(), Error> {
        let claims = session.own_claims()?;
        if !self.deps.sessions.end(claims.user, claims.session, self.deps.clock.now()).await? {
            // The session is not in the list, or has just been ended.
            let first = Claims { id: claims.session.uuid(), ..claims.clone() };
            self.deps.revoked_sessions.revoke(&first).await?;
        }
        Ok(())
    }

    /// Ends all sessions of a user, this one included.
    pub async fn logout_everywhere(&self, session: &SignedIn) -> Result<(), Error> {
        let claims = session.own_claims()?;
        self.deps.sessions.end_all(claims.user).await?;
        tracing::info!(user = %claims.user, "a user ended all sessions");
        Ok(())
    }

    /// Returns the sessions of a user that have not ended: this one, then those that were used last.
    pub async fn sessions(&self, session: &SignedIn) -> Result<Vec<OpenSession>, Error> {
        let claims = session.own_claims()?;
        let now = self.deps.clock.now();
        Ok(self.deps.sessions.list(claims.user, claims.session, now, MAX_LISTED).await?)
    }

    /// Ends a session of a user. Every instance refuses it from then on.
    pub async fn end_session(&self, session: &SignedIn, id: Id<OpenSession>) -> Result<(), Error> {
        let claims = session.own_claims()?;
        let is_ended = self.deps.sessions.end(claims.user, id, self.deps.clock.now()).await?;
        if is_ended { Ok(()) } else { Err(NOT_FOUND) }
    }

    /// Changes the names of a user, and returns the user with their organizations. `found` holds the
    /// faults found so far.
    pub async fn update(
        &self,
        session: &SignedIn,
        update: UserUpdate,
        found: Faults,
    ) -> Result<(User, Vec<Membership>), Error> {
        let claims = session.own_claims()?;
        let update = found.check(update.checked())?;
        let user = self.deps.users.update(claims.user, &update).await?;
        let user = user.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        let memberships = self.deps.organizations.memberships(user.id).await?;
        Ok((user, memberships))
    }

    /// Changes the password of a user who knows the present one, and ends the user's other sessions. A
    /// wrong password counts as a failed login. `found` holds the faults found so far.
    pub async fn change_password(
        &self,
        session: &SignedIn,
        change: PasswordChange,
        client: &Client,
        mut found: Faults,
    ) -> Result<(), Error> {
        let (claims, user) = (session.own_claims()?, &session.user);
        let current = required("currentPassword", change.current_password, &mut found);
        let new = match change.new_password {
            None if found.fields.contains_key("newPassword") => None,
            new => {
                let new = password::checked_password(new.as_deref(), &user.email);
                found.take("newPassword", new)
            }
        };
        let (current, new) = found.require(current.zip(new))?;

        self.check_password(user, current, client, "currentPassword").await?;
        let hash = self.deps.passwords.hash(new).await?;
        let mut tx = self.deps.identity.begin().await?;
        let present = tx.lock_user(user.id).await?.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        if present.password_hash != user.password_hash {
            return Err(wrong_password());
        }
        if !claims.holds(&present, self.deps.clock.now()) {
            return Err(Error::Unauthenticated(SESSION_ENDED));
        }
        tx.set_password(user.id, &hash).await?;
        tx.keep_session(user.id, claims.session).await?;
        tx.commit().await?;
        tracing::info!(user = %user.id, "a user changed the password");
        Ok(())
    }

    /// Checks the password of a signed-in user, before something that is hard to undo. A wrong
    /// password counts as a failed login. `found` holds the faults found so far.
    pub async fn confirm_password(
        &self,
        user: Id<User>,
        password: Option<String>,
        client: &Client,
        mut found: Faults,
    ) -> Result<(), Error> {
        let password = required("password", password, &mut found);
        let password = found.require(password)?;
        let user = self.deps.users.find(user).await?.ok_or(Error::Unauthenticated(UNAUTHORIZED))?;
        self.check_password(&user, password, client, "password").await
    }

    /// Fails unless the user has the password, which is that field of the request.
    async fn check_password(
        &self,
        user: &User,
        password: String,
        client: &Client,
        field: &'static str,
    ) -> Result<(), Error> {
        let address = client.network.to_string();
        self.count_attempt(&user.email, &address).await?;
        if !self.deps.passwords.verify(password, Some(user.password_hash.clone())).await? {
            return Err(Faults::field(field, WRONG).into());
        }
        Ok(self.deps.users.forget_logins(&user.email, &address).await?)
    }

    /// Writes the last uses of sessions to the store.
    pub async fn write_session_uses(&self) -> Result<(), Error> {
        let uses = self.session_uses.take(self.deps.clock.now());
        if !uses.is_empty() {
            self.deps.sessions.note_uses(&uses).await?;
        }
        Ok(())
    }
}

fn wrong_password() -> Error {
    Faults::field("currentPassword", WRONG).into()
}
