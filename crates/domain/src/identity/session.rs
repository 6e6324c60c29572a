//! Sessions: claims in the token of a signed-in user.
//!
//! ```
//! use chrono::DateTime;
//! use domain::identity::session::{Attempts, LoginAttempts};
//!
//! let now = DateTime::UNIX_EPOCH;
//! let many = Attempts { count: 11, since: now };
//! assert!(LoginAttempts { from_address: many, in_all: many }.wait(now).is_some());
//! ```

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{
    identity::{
        open_session::{Client, OpenSession},
        organization::Organization,
        user::User,
    },
    shared::id::{Id, Unowned},
};

/// Lifetime of a session.
pub const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Maximum time for which an administrator acts as an organization.
pub const IMPERSONATION_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// Lifetime of a token that resets a password.
pub const RESET_LIFETIME: TimeDelta = TimeDelta::minutes(30);

/// Lifetime of a token that verifies an address.
pub const VERIFICATION_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Claims in a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// User of the session.
    pub user: Id<User>,
    /// Identifier of the token itself.
    pub id: Uuid,
    /// Session to which the token belongs. It has the identifier of its first token.
    pub session: Id<OpenSession>,
    /// Time of issue.
    pub issued_at: DateTime<Utc>,
    /// Time at which the session ends.
    pub expires_at: DateTime<Utc>,
    /// The user's [`session_version`](User::session_version) at the time of issue.
    pub version: i32,
    /// Impersonated organization; `None` if the user acts as themselves.
    pub impersonation: Option<Impersonation>,
}

/// Claims of an administrator's session as an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impersonation {
    /// Organization as which the administrator acts.
    pub organization: Id<Organization>,
    /// End of the administrator's own session, to which this one returns.
    pub session_ends_at: DateTime<Utc>,
}

impl Unowned for Claims {}

impl Claims {
    /// Returns a new session of `user`, beginning at `now`.
    pub fn begin(user: &User, now: DateTime<Utc>) -> Self {
        let id = Id::<Self>::new(now).uuid();
        Self {
            user: user.id,
            id,
            session: id.into(),
            issued_at: now,
            expires_at: now + LIFETIME,
            version: user.session_version,
            impersonation: None,
        }
    }

    /// Returns the session that this token begins, for the list of its user.
    pub fn opened_by(&self, client: &Client) -> OpenSession {
        OpenSession {
            id: self.session,
            user: self.user,
            version: self.version,
            created_at: self.issued_at,
            expires_at: self.expires_at,
            last_used_at: self.issued_at,
            address: client.address.to_string(),
            user_agent: client.user_agent.clone(),
        }
    }

    /// Returns a session in which the administrator of this one acts as the organization from `now` on.
    #[must_use]
    pub fn impersonate(&self, organization: Id<Organization>, now: DateTime<Utc>) -> Self {
        Self {
            id: Id::<Self>::new(now).uuid(),
            issued_at: now,
            expires_at: self.expires_at.min(now + IMPERSONATION_LIFETIME),
            impersonation: Some(Impersonation { organization, session_ends_at: self.expires_at }),
            ..self.clone()
        }
    }

    /// Returns the session that the administrator resumes at `now` after impersonation. It ends
    /// when the session before the impersonation would have ended. `None` unless an organization is
    /// impersonated.
    pub fn restore(&self, now: DateTime<Utc>) -> Option<Self> {
        let Impersonation { session_ends_at, .. } = self.impersonation?;
        Some(Self {
            id: Id::<Self>::new(now).uuid(),
            issued_at: now,
            expires_at: session_ends_at,
            impersonation: None,
            ..self.clone()
        })
    }

    /// True if the session is valid for `user` at `now`. Only administrators act as an organization.
    pub fn holds(&self, user: &User, now: DateTime<Utc>) -> bool {
        let may_be = self.impersonation.is_none() || user.platform_role.is_some();
        self.user == user.id
            && self.version == user.session_version
            && now < self.expires_at
            && may_be
    }
}

/// Maximum number of failed sign-ins with one email from one address within [`LOGIN_WINDOW`].
pub const MAX_LOGIN_FAILURES: u32 = 10;
/// Maximum number of failed sign-ins with one email from all addresses within [`LOGIN_WINDOW`].
pub const MAX_LOGIN_FAILURES_IN_ALL: u32 = 100;
/// Time for which a failed sign-in counts.
pub const LOGIN_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// Maximum number of mails with a reset token per user within [`RESET_MAIL_WINDOW`].
pub const MAX_RESET_MAILS: u32 = 3;
/// Time for which a mail with a reset token counts.
pub const RESET_MAIL_WINDOW: TimeDelta = TimeDelta::hours(1);

/// Maximum number of mails with a link that verifies an address per user within
/// [`VERIFICATION_MAIL_WINDOW`].
pub const MAX_VERIFICATION_MAILS: u32 = 5;
/// Time for which a mail with a link that verifies an address counts.
pub const VERIFICATION_MAIL_WINDOW: TimeDelta = TimeDelta::hours(1);

/// Attempts to sign in with one email, including the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginAttempts {
    /// Attempts from the address of the present one.
    pub from_address: Attempts,
    /// Attempts from all addresses.
    pub in_all: Attempts,
}

/// Attempts in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    /// Number of attempts.
    pub count: u32,
    /// Start of the window.
    pub since: DateTime<Utc>,
}

impl LoginAttempts {
    /// Returns the time to wait before another attempt; `None` if there were not too many.
    pub fn wait(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        let limits =
            [(self.from_address, MAX_LOGIN_FAILURES), (self.in_all, MAX_LOGIN_FAILURES_IN_ALL)];
        let exceeded = limits.into_iter().filter(|(attempts, most)| attempts.count > *most);
        exceeded.map(|(attempts, _)| attempts.since + LOGIN_WINDOW - now).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::user::PlatformRole;

    fn administrator() -> User {
        User {
            id: Id::new(DateTime::UNIX_EPOCH),
            email: "admin@example.com".into(),
            first_name: "Efua".into(),
            last_name: "Boateng".into(),
            password_hash: String::new(),
            platform_role: Some(PlatformRole::SuperAdmin),
            session_version: 1,
            email_verified_at: None,
            second_factor_at: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn an_impersonation_ends_after_15_minutes_or_with_its_session() {
        let (admin, began) = (administrator(), DateTime::UNIX_EPOCH);
        let session = Claims::begin(&admin, began);
        for (after, minutes) in [(0, 15), (60, 15), (24 * 60 - 4, 4)] {
            let now = began + TimeDelta::minutes(after);
            let impersonating = session.impersonate(Id::new(began), now);

            let ends_at = now + TimeDelta::minutes(minutes);
            assert_eq!((impersonating.issued_at, impersonating.expires_at), (now, ends_at));
            assert!(impersonating.holds(&admin, now) && !impersonating.holds(&admin, ends_at));
            let restored = impersonating.restore(now).unwrap();
            assert_eq!(Claims { id: session.id, issued_at: began, ..restored.clone() }, session);
            assert!(![session.id, impersonating.id].contains(&restored.id));
            assert_eq!(restored.restore(now), None);
        }
    }

    #[test]
    fn impersonation_ends_with_the_admin_role_or_a_new_password() {
        let (admin, now) = (administrator(), DateTime::UNIX_EPOCH);
        let impersonating = Claims::begin(&admin, now).impersonate(Id::new(now), now);

        assert!(impersonating.holds(&admin, now));
        for former in [
            User { platform_role: None, ..admin.clone() },
            User { session_version: 2, ..admin.clone() },
            User { id: Id::new(now), ..admin },
        ] {
            assert!(!impersonating.holds(&former, now), "{former:?}");
        }
    }

    #[test]
    fn too_many_attempts_wait_for_the_longest_window() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        let ago = |minutes, count| Attempts { count, since: now - TimeDelta::minutes(minutes) };
        for (from_address, in_all, wait) in [
            (ago(5, 10), ago(5, 100), None),
            (ago(5, 11), ago(9, 11), Some(10)),
            (ago(1, 1), ago(9, 101), Some(6)),
            (ago(5, 11), ago(9, 101), Some(10)),
        ] {
            let attempts = LoginAttempts { from_address, in_all };
            assert_eq!(attempts.wait(now), wait.map(TimeDelta::minutes));
        }
    }
}
