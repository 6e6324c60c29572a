//! Platform administrators.

use domain::user::{self, PlatformRole, Registration};
use thiserror::Error;

use super::{Auth, taken_email};
use crate::Error as Refusal;

/// Why somebody was not made a platform administrator.
#[derive(Debug, Error)]
pub enum AdminError {
    /// The address belongs to a user who registered. Whether that is the one who is meant, only the
    /// operator can tell.
    #[error(
        "{0} is the address of an ordinary user; if that user is to be a platform administrator, \
         run `atumpan admin create --promote --email {0}`"
    )]
    OrdinaryUser(String),
    /// Nobody has registered with the address.
    #[error("nobody has registered with {0}")]
    UnknownUser(String),
    /// It could not be done.
    #[error(transparent)]
    Failed(#[from] Refusal),
}

impl Auth {
    /// Whether somebody with that address is a platform administrator. Fails if it is the address of
    /// an ordinary user.
    pub async fn is_admin(&self, email: &str) -> Result<bool, AdminError> {
        match self.find_user(email).await? {
            None => Ok(false),
            Some(user) if user.platform_role.is_some() => Ok(true),
            Some(user) => Err(AdminError::OrdinaryUser(user.email)),
        }
    }

    /// Registers a platform administrator with that address and password. One who exists stays as
    /// they are. Any number of instances may do so at once.
    pub async fn put_admin(&self, email: &str, password: &str) -> Result<(), AdminError> {
        let registration = Registration {
            email: Some(email.to_owned()),
            password: Some(password.to_owned()),
            first_name: Some("Platform".to_owned()),
            last_name: Some("Administrator".to_owned()),
            organization_name: None,
        };
        let registration = registration.check().map_err(Refusal::from)?;
        if self.is_admin(email).await? {
            return Ok(());
        }
        let hash = self.passwords.hash(registration.password.clone()).await;
        let hash = hash.map_err(Refusal::from)?;
        let user = self.user(&registration, hash, Some(PlatformRole::SuperAdmin));
        let mut session = self.store.connect().await.map_err(Refusal::from)?;
        match session.users().insert(&user).await.map_err(taken_email) {
            // Another instance was quicker.
            Err(Refusal::EmailExists) => self.is_admin(email).await.map(drop),
            inserted => Ok(inserted?),
        }
    }

    /// Makes the user with that address a platform administrator. They keep their password.
    pub async fn promote_admin(&self, email: &str) -> Result<(), AdminError> {
        let user = self.find_user(email).await?;
        let user = user.ok_or_else(|| AdminError::UnknownUser(email.to_owned()))?;
        let mut session = self.store.connect().await.map_err(Refusal::from)?;
        session.users().make_platform_admin(user.id).await.map_err(Refusal::from)?;
        Ok(())
    }

    async fn find_user(&self, email: &str) -> Result<Option<user::User>, Refusal> {
        let email = user::checked_email(Some(email));
        let email = email.map_err(|fault| domain::fault::Faults::field("email", fault))?;
        Ok(self.store.connect().await?.users().find_by_email(&email).await?)
    }
}
