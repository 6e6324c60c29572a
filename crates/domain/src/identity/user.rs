//! Users: people who sign in.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::shared::{
    address::Address,
    channel::Channel,
    country::Country,
    fault::Faults,
    id::{Id, Unowned},
    text,
};

/// A person who can sign in.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// Identifier of the user.
    pub id: Id<User>,
    /// The address to sign in with, compared without regard to case.
    pub email: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Hash of the password, in PHC format.
    pub password_hash: String,
    /// Role on the platform itself; `None` for ordinary users.
    pub platform_role: Option<PlatformRole>,
    /// Version of the user's sessions; sessions of an older version have ended.
    pub session_version: i32,
    /// Time at which the address was verified; `None` if it was not.
    pub email_verified_at: Option<DateTime<Utc>>,
    /// Time of registration.
    pub created_at: DateTime<Utc>,
}

impl Unowned for User {}

impl fmt::Debug for User {
    /// Shows the identifier only, never the hash of the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Role of a user on the platform itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlatformRole {
    /// Runs the platform.
    SuperAdmin,
}

impl PlatformRole {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SuperAdmin => "PLATFORM_SUPER_ADMIN",
        }
    }
}

/// Minimum length of a password, in characters.
pub const MIN_PASSWORD: usize = 8;
/// Maximum length of a password, in bytes: hashing takes time in proportion.
pub const MAX_PASSWORD_BYTES: usize = 1_024;
const MAX_NAME: usize = 100;

/// An unchecked registration.
#[derive(Clone, Default)]
pub struct Registration {
    /// The address to sign in with. Required.
    pub email: Option<String>,
    /// The password. Required.
    pub password: Option<String>,
    /// Given name. Required.
    pub first_name: Option<String>,
    /// Family name. Required.
    pub last_name: Option<String>,
    /// Name of the organization to create.
    pub organization_name: Option<String>,
}

/// A registration that passed all checks.
#[derive(Clone)]
pub struct CheckedRegistration {
    /// The address to sign in with.
    pub email: String,
    /// The password.
    pub password: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Name of the organization to create.
    pub organization_name: Option<String>,
}

impl Registration {
    /// Checks all fields. Fails with everything that is wrong.
    pub fn check(&self) -> Result<CheckedRegistration, Faults> {
        let mut faults = Faults::default();
        let email = faults.take("email", checked_email(self.email.as_deref()));
        let password = faults.take("password", checked_password(self.password.as_deref()));
        let first_name = faults.take("firstName", checked_name(self.first_name.as_deref()));
        let last_name = faults.take("lastName", checked_name(self.last_name.as_deref()));
        let organization_name = self.organization_name.as_deref().map(|name| {
            faults.take("organizationName", crate::identity::organization::checked_name(name))
        });
        let checked = || {
            Some(CheckedRegistration {
                email: email?,
                password: password?,
                first_name: first_name?,
                last_name: last_name?,
                organization_name: organization_name.flatten(),
            })
        };
        let checked = checked();
        faults.require(checked)
    }
}

impl CheckedRegistration {
    /// Returns the registered user, with the hash of their password.
    pub fn user(
        &self,
        password_hash: String,
        platform_role: Option<PlatformRole>,
        now: DateTime<Utc>,
    ) -> User {
        User {
            id: Id::new(now),
            email: self.email.clone(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            password_hash,
            platform_role,
            session_version: 1,
            email_verified_at: None,
            created_at: now,
        }
    }
}

/// Checks an address to sign in with.
pub fn checked_email(email: Option<&str>) -> Result<String, String> {
    let email = email.ok_or("is required")?;
    Address::parse(Channel::Email, Country::GH, email)
        .map(|address| address.as_str().to_owned())
        .map_err(|fault| fault.to_string())
}

/// Checks a new password.
pub fn checked_password(password: Option<&str>) -> Result<String, String> {
    let password = password.ok_or("is required")?;
    if password.chars().count() < MIN_PASSWORD {
        return Err(format!("must have at least {MIN_PASSWORD} characters"));
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(format!("must have at most {MAX_PASSWORD_BYTES} bytes"));
    }
    text::without_nul(password)?;
    Ok(password.to_owned())
}

fn checked_name(name: Option<&str>) -> Result<String, String> {
    text::line(name.ok_or("is required")?, MAX_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_everything_wrong_with_a_registration_at_once() {
        let registration = Registration {
            email: Some("nobody".into()),
            password: Some("short".into()),
            first_name: Some(String::new()),
            organization_name: Some(" ".into()),
            ..Registration::default()
        };

        let Err(faults) = registration.check() else { panic!("it was accepted") };

        assert_eq!(
            faults.fields.keys().collect::<Vec<_>>(),
            ["email", "firstName", "lastName", "organizationName", "password"]
        );
    }

    #[test]
    fn a_password_counts_characters_and_not_bytes() {
        assert!(checked_password(Some("ɛɛɛɛɛɛɛ")).is_err());
        assert!(checked_password(Some("ɛɛɛɛɛɛɛɛ")).is_ok());
    }

    #[test]
    fn rejects_a_password_with_a_null_character() {
        assert!(checked_password(Some("correct\0horse")).is_err());
    }
}
