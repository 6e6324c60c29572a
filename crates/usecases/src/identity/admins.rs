//! Platform administrators.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{
        password,
        user::{self, PlatformRole, Registration, User},
    },
    shared::fault::Faults,
};
use ports::{
    identity::{
        auth::{EMAIL_TAKEN, PasswordHasher, UserRepository},
        second_factors::SecondFactorRepository,
    },
    shared::{clock::Clock, store::StoreError},
};
use thiserror::Error;

use crate::Error as Refusal;

/// Operations on platform administrators.
#[derive(Constructor)]
pub struct Admins {
    users: Arc<dyn UserRepository>,
    passwords: Arc<dyn PasswordHasher>,
    clock: Arc<dyn Clock>,
}

/// Failure to make a user a platform administrator.
#[derive(Debug, Error)]
pub enum AdminError {
    /// The address belongs to a registered user. Only the operator knows if that user is the intended
    /// one.
    #[error(
        "{0} is the address of an ordinary user; if that user is to be a platform administrator, \
         run `atumpan admin create --promote --email {0}`"
    )]
    OrdinaryUser(String),
    /// No user is registered with the address.
    #[error("nobody has registered with {0}")]
    UnknownUser(String),
    /// The operation failed.
    #[error(transparent)]
    Failed(#[from] Refusal),
}

impl Admins {
    /// True if the user with that address is a platform administrator. Fails if the user is an ordinary
    /// one.
    pub async fn exists(&self, email: &str) -> Result<bool, AdminError> {
        match self.find_user(email).await? {
            None => Ok(false),
            Some(user) if user.platform_role.is_some() => Ok(true),
            Some(user) => Err(AdminError::OrdinaryUser(user.email)),
        }
    }

    /// Registers a platform administrator with that address and password. An existing administrator is
    /// left unchanged. Any number of instances may call this at once.
    pub async fn create(&self, email: &str, password: &str) -> Result<(), AdminError> {
        let registration = Registration {
            email: Some(email.to_owned()),
            password: Some(password.to_owned()),
            first_name: Some("Platform".to_owned()),
            last_name: Some("Administrator".to_owned()),
            organization_name: None,
        };
        let registration = registration.check_for_operator().map_err(Refusal::from)?;
        if let Some(weakness) = password::weakness(password, email) {
            tracing::warn!("the password of the platform administrator {weakness}");
        }
        if self.exists(email).await? {
            return Ok(());
        }
        let hash = self.passwords.hash(registration.password.clone()).await;
        let hash = hash.map_err(Refusal::from)?;
        let user = registration.user(hash, Some(PlatformRole::SuperAdmin), self.clock.now());
        match self.users.insert(&user).await {
            Ok(()) => Ok(()),
            // Another instance was faster.
            Err(StoreError::Conflict { constraint }) if constraint == EMAIL_TAKEN => {
                self.exists(email).await.map(drop)
            }
            Err(error) => Err(Refusal::from(error).into()),
        }
    }

    /// Makes the user with that address a platform administrator. They keep their password.
    pub async fn promote(&self, email: &str) -> Result<(), AdminError> {
        let user = self.find_user(email).await?;
        let user = user.ok_or_else(|| AdminError::UnknownUser(email.to_owned()))?;
        self.users.make_platform_admin(user.id).await.map_err(Refusal::from)?;
        Ok(())
    }

    /// Removes the second factor of the user with that address, who may be an ordinary one. Returns
    /// false if there was none.
    pub async fn reset_second_factor(
        &self,
        email: &str,
        second_factors: &dyn SecondFactorRepository,
    ) -> Result<bool, AdminError> {
        let user = self.find_user(email).await?;
        let user = user.ok_or_else(|| AdminError::UnknownUser(email.to_owned()))?;
        Ok(second_factors.remove(user.id).await.map_err(Refusal::from)?)
    }

    async fn find_user(&self, email: &str) -> Result<Option<User>, Refusal> {
        let email = user::checked_email(Some(email));
        let email = email.map_err(|fault| Faults::field("email", fault))?;
        Ok(self.users.find_by_email(&email).await?)
    }
}

#[cfg(test)]
mod tests;
