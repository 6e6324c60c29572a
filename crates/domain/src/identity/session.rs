//! Sessions: what a signed-in user's token claims.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{
    identity::{organization::Organization, user::User},
    shared::id::{Id, Unowned},
};

/// How long a session lasts.
pub const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// How long an administrator acts as an organization at the most.
pub const IMPERSONATION_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// How long a password can be reset with a token.
pub const RESET_LIFETIME: TimeDelta = TimeDelta::minutes(30);

/// How long an address can be verified with a token.
pub const VERIFICATION_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// Whose session it is.
    pub user: Id<User>,
    /// The token's own identifier.
    pub id: Uuid,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
    /// The user's [`session_version`](User::session_version) when it was issued.
    pub version: i32,
    /// Present if the user is an administrator who acts as an organization.
    pub impersonation: Option<Impersonation>,
}

/// What the session of an administrator is who acts as an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impersonation {
    /// As which.
    pub organization: Id<Organization>,
    /// When the session ends that it came from, and to which it leads back.
    pub session_ends_at: DateTime<Utc>,
}

impl Unowned for Claims {}

impl Claims {
    /// A session that `user` begins at `now`.
    pub fn begin(user: &User, now: DateTime<Utc>) -> Self {
        Self {
            user: user.id,
            id: Id::<Self>::new(now).uuid(),
            issued_at: now,
            expires_at: now + LIFETIME,
            version: user.session_version,
            impersonation: None,
        }
    }

    /// The session in which the administrator of this one acts as an organization from `now` on.
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

    /// The session to which the administrator returns at `now` who acts as an organization in this
    /// one. It ends when the one would have from which this one came. None if nobody does.
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

    /// Whether the session is still that of `user` at `now`. Only an administrator acts as an
    /// organization.
    pub fn holds(&self, user: &User, now: DateTime<Utc>) -> bool {
        let may_be = self.impersonation.is_none() || user.platform_role.is_some();
        self.user == user.id
            && self.version == user.session_version
            && now < self.expires_at
            && may_be
    }
}

/// How many failures to sign in with one email from one address are borne within [`LOGIN_WINDOW`].
pub const MAX_LOGIN_FAILURES: u32 = 10;
/// How many failures to sign in with one email are borne meanwhile, wherever they come from.
pub const MAX_LOGIN_FAILURES_IN_ALL: u32 = 100;
/// How long a failure to sign in is remembered.
pub const LOGIN_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// How many mails with a reset token a user gets within [`RESET_MAIL_WINDOW`].
pub const MAX_RESET_MAILS: u32 = 3;
/// How long a mail with a reset token is counted.
pub const RESET_MAIL_WINDOW: TimeDelta = TimeDelta::hours(1);

/// How often somebody tried to sign in with one email, the present attempt included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginAttempts {
    /// From the address of the present attempt.
    pub from_address: Attempts,
    /// From anywhere.
    pub in_all: Attempts,
}

/// Attempts in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    /// How many.
    pub count: u32,
    /// When the window began.
    pub since: DateTime<Utc>,
}

impl LoginAttempts {
    /// How long to wait, if there were too many.
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
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn an_impersonation_ends_after_15_minutes_and_never_after_the_session_it_came_from() {
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
    fn nobody_impersonates_who_no_longer_administers_the_platform_or_has_another_password() {
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
