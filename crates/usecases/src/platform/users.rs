//! Administration of users.

use std::{collections::BTreeMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        caller::Administrator,
        organization::PLATFORM,
        user::{PlatformRole, User},
    },
    platform::{
        audit::{AuditAction, AuditEntry},
        user::{UserFilter, UserUpdate},
    },
    shared::{
        change::Change,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    identity::second_factors::SecondFactorRepository,
    platform::{
        audit_log::AuditLog,
        users::{PlatformUserRepository, UserUpdated},
    },
    shared::clock::Clock,
};

use crate::{Error, Reason};

/// The user is the last platform administrator.
pub const LAST_ADMIN: Reason =
    Reason::new("LAST_ADMIN", "the platform needs at least one administrator");

const NOT_FOUND: Error = Error::NotFound("user");

/// Operations on users by platform administrators.
#[derive(Clone, Constructor)]
pub struct PlatformUsers {
    repository: Arc<dyn PlatformUserRepository>,
    second_factors: Arc<dyn SecondFactorRepository>,
    audit_log: Arc<dyn AuditLog>,
    clock: Arc<dyn Clock>,
}

impl PlatformUsers {
    /// Returns a page of all users, newest first.
    pub async fn page(
        &self,
        _: &Administrator,
        filter: UserFilter,
        page: Page,
    ) -> Result<Paged<User>, Error> {
        Ok(self.repository.page(&filter.checked()?, page).await?)
    }

    /// Returns a user.
    pub async fn get(&self, _: &Administrator, id: Id<User>) -> Result<User, Error> {
        self.repository.find(id).await?.ok_or(NOT_FOUND)
    }

    /// Changes a user. `faults` holds the faults found so far. The audit log is written first: it may
    /// contain a change that then failed, but never lacks one that was made.
    pub async fn update(
        &self,
        admin: &Administrator,
        id: Id<User>,
        update: UserUpdate,
        faults: Faults,
    ) -> Result<User, Error> {
        let update = faults.or(update)?;
        let user = self.repository.find(id).await?.ok_or(NOT_FOUND)?;
        if update == UserUpdate::default() {
            return Ok(user);
        }
        let ends_administration = update.takes_role_away() && user.platform_role.is_some();
        if ends_administration && self.repository.is_only_admin(id).await? {
            return Err(Error::Conflict(LAST_ADMIN));
        }
        self.write_down((admin, AuditAction::UserUpdated), id, described(&update)).await?;
        match self.repository.update(id, &update, self.clock.now()).await? {
            UserUpdated::Done(user) => Ok(user),
            UserUpdated::NotFound => Err(NOT_FOUND),
            UserUpdated::LastAdmin => Err(Error::Conflict(LAST_ADMIN)),
        }
    }

    /// Ends all sessions of a user, who can sign in again.
    pub async fn end_sessions(&self, admin: &Administrator, id: Id<User>) -> Result<User, Error> {
        self.repository.find(id).await?.ok_or(NOT_FOUND)?;
        let action = AuditAction::UserSessionsEnded;
        self.write_down((admin, action), id, BTreeMap::new()).await?;
        self.repository.end_sessions(id).await?.ok_or(NOT_FOUND)
    }

    /// Removes the second factor of a user, who can sign in with the password alone. A user without
    /// one is left unchanged.
    pub async fn reset_second_factor(
        &self,
        admin: &Administrator,
        id: Id<User>,
    ) -> Result<User, Error> {
        let user = self.repository.find(id).await?.ok_or(NOT_FOUND)?;
        if user.second_factor_at.is_none() {
            return Ok(user);
        }
        let action = AuditAction::SecondFactorReset;
        self.write_down((admin, action), id, BTreeMap::new()).await?;
        self.second_factors.remove(id).await?;
        self.repository.find(id).await?.ok_or(NOT_FOUND)
    }

    async fn write_down(
        &self,
        (admin, action): (&Administrator, AuditAction),
        id: Id<User>,
        details: BTreeMap<&'static str, String>,
    ) -> Result<(), Error> {
        let entry = AuditEntry::of(PLATFORM, self.clock.now(), admin.actor(), action);
        let entry = entry.on("USER", id.uuid()).with(details);
        Ok(self.audit_log.record(&entry).await?)
    }
}

/// Returns the changes for the audit log.
fn described(update: &UserUpdate) -> BTreeMap<&'static str, String> {
    let mut details = BTreeMap::new();
    if let Change::Set(role) = &update.platform_role {
        let role = role.map_or("none", PlatformRole::as_str);
        details.insert("platformRole", role.to_owned());
    }
    if let Some(is_verified) = update.is_email_verified {
        details.insert("emailVerified", is_verified.to_string());
    }
    details
}

#[cfg(test)]
mod tests;
