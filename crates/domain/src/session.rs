//! Sessions: what a signed-in user's token claims.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{id::Id, user::User};

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

/// How many failures to sign in with one address are borne within [`LOGIN_WINDOW`].
pub const MAX_LOGIN_FAILURES: u32 = 10;
/// How long a failure to sign in is remembered.
pub const LOGIN_WINDOW: TimeDelta = TimeDelta::minutes(15);
