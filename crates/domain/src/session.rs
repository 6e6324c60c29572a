//! Sessions: what a signed-in user's token claims.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{
    id::{Id, Unowned},
    user::User,
};

/// How long a session lasts.
pub const LIFETIME: TimeDelta = TimeDelta::hours(24);
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
        }
    }

    /// Whether the session is still that of `user` at `now`.
    pub fn holds(&self, user: &User, now: DateTime<Utc>) -> bool {
        self.user == user.id && self.version == user.session_version && now < self.expires_at
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
