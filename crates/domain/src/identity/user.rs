//! Users: people who sign in.
//!
//! ```
//! use domain::identity::user::checked_email;
//!
//! assert!(checked_email(Some("ama@example.com")).is_ok() && checked_email(Some("ama")).is_err());
//! ```

use std::fmt;

use chrono::{DateTime, Utc};

use crate::{
    identity::password,
    shared::{
        address::Address,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::{Id, Unowned},
        text,
    },
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
    /// Time at which a second factor was confirmed; `None` if logins need none.
    pub second_factor_at: Option<DateTime<Utc>>,
    /// Time of registration.
    pub created_at: DateTime<Utc>,
}

impl Unowned for User {}

impl User {
    /// Returns the user after a change that was checked.
    #[must_use]
    pub fn updated(self, update: &UserUpdate) -> Self {
        let UserUpdate { first_name, last_name } = update.clone();
        Self {
            first_name: first_name.unwrap_or(self.first_name),
            last_name: last_name.unwrap_or(self.last_name),
            ..self
        }
    }
}

impl fmt::Debug for User {
    /// Shows the identifier only, never the hash of the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("id", &self.id).finish_non_exhaustive()
    }
}

crate::closed_list! {
    /// Role of a user on the platform itself.
    pub enum PlatformRole {
        /// Runs the platform.
        SuperAdmin = "PLATFORM_SUPER_ADMIN",
    }
    impl FromStr else "must be PLATFORM_SUPER_ADMIN or null";
}

/// People who may register on an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegistrationRule {
    /// Everybody.
    #[default]
    Open,
    /// Those who are invited to an organization.
    Invited,
    /// Nobody.
    Closed,
}

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
        self.check_with(password::checked_password)
    }

    /// Checks all fields, but permits a password that is easy to guess: an operator chose it.
    pub fn check_for_operator(&self) -> Result<CheckedRegistration, Faults> {
        self.check_with(|password, _| password::well_formed(password))
    }

    fn check_with(
        &self,
        checked_password: impl Fn(Option<&str>, &str) -> Result<String, String>,
    ) -> Result<CheckedRegistration, Faults> {
        let mut faults = Faults::default();
        let email = faults.take("email", checked_email(self.email.as_deref()));
        let address = email.as_deref().unwrap_or_default();
        let password = faults.take("password", checked_password(self.password.as_deref(), address));
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
            second_factor_at: None,
            created_at: now,
        }
    }
}

/// Changes to a user, by themselves. A name that is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserUpdate {
    /// New given name.
    pub first_name: Option<String>,
    /// New family name.
    pub last_name: Option<String>,
}

impl UserUpdate {
    /// Checks all fields, and removes the spaces around them. Fails with everything that is wrong.
    pub fn checked(self) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let mut check = |field: &str, name: Option<String>| {
            name.and_then(|name| faults.take(field, checked_name(Some(&name))))
        };
        let first_name = check("firstName", self.first_name);
        let last_name = check("lastName", self.last_name);
        faults.or(Self { first_name, last_name })
    }
}

/// Checks an address to sign in with.
pub fn checked_email(email: Option<&str>) -> Result<String, String> {
    let email = email.ok_or("is required")?;
    Address::parse(Channel::Email, Country::GH, email)
        .map(|address| address.as_str().to_owned())
        .map_err(|fault| fault.to_string())
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
    fn only_an_operator_may_choose_a_weak_password() {
        let registration = Registration {
            email: Some("efua@example.com".into()),
            password: Some("password123".into()),
            first_name: Some("Efua".into()),
            last_name: Some("Boateng".into()),
            ..Registration::default()
        };

        let Err(faults) = registration.check() else { panic!("it was accepted") };
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["password"]);
        assert!(registration.check_for_operator().is_ok());
    }

    #[test]
    fn a_change_of_names_keeps_what_it_does_not_name() {
        let update = |first: Option<&str>, last: Option<&str>| {
            let (first, last) = (first.map(str::to_owned), last.map(str::to_owned));
            UserUpdate { first_name: first, last_name: last }.checked()
        };

        let names = update(Some(" Esi "), None).unwrap();
        assert_eq!((names.first_name.as_deref(), names.last_name), (Some("Esi"), None));
        let faults = update(Some(" "), Some("a\nb")).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["firstName", "lastName"]);
    }
}
