//! Users and sessions on the wire.

use domain::{
    organization::{Membership, Organization},
    user::{PlatformRole, User},
};
use serde::Serialize;
use usecases::auth::Session;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::formats::{RoleName, Timestamp};

/// A session that registration began.
#[derive(Serialize, ToSchema)]
pub(super) struct RegistrationView {
    #[serde(flatten)]
    session: SessionView,
    /// The organization that was created, if one was named.
    organization: Option<FoundedView>,
}

/// A session that signing in began.
#[derive(Serialize, ToSchema)]
pub(super) struct LoginView {
    #[serde(flatten)]
    session: SessionView,
    /// The organizations that the user belongs to.
    organizations: Vec<MembershipView>,
}

/// The user, and where they belong.
#[derive(Serialize, ToSchema)]
pub(super) struct ProfileView {
    #[serde(flatten)]
    user: UserView,
    /// The organizations that the user belongs to.
    organizations: Vec<MembershipView>,
}

/// A session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionView {
    /// The token for the header `Authorization: Bearer …`.
    token: String,
    /// When the token ceases to work.
    expires_at: Timestamp,
    user: UserView,
}

/// A user.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UserView {
    id: Uuid,
    #[schema(format = Email)]
    email: String,
    /// Extension: whether it is known that the user reads the mail of that address.
    email_verified: bool,
    first_name: String,
    last_name: String,
    /// What the user is to the platform itself: `PLATFORM_SUPER_ADMIN` or null.
    platform_role: Option<&'static str>,
}

/// An organization that was just created.
#[derive(Serialize, ToSchema)]
struct FoundedView {
    id: Uuid,
    name: String,
}

/// An organization that a user belongs to.
#[derive(Serialize, ToSchema)]
struct MembershipView {
    id: Uuid,
    name: String,
    /// What the user is there.
    #[schema(value_type = RoleName)]
    role: &'static str,
}

/// What was done, for people.
#[derive(Serialize, ToSchema)]
pub(super) struct NoticeView {
    message: &'static str,
}

impl RegistrationView {
    pub(super) fn of(session: Session, organization: Option<Organization>) -> Self {
        let founded = |it: Organization| FoundedView { id: it.id.uuid(), name: it.name };
        Self { session: session.into(), organization: organization.map(founded) }
    }
}

impl LoginView {
    pub(super) fn of(session: Session, memberships: Vec<Membership>) -> Self {
        Self { session: session.into(), organizations: shown(memberships) }
    }
}

impl ProfileView {
    pub(super) fn of(user: User, memberships: Vec<Membership>) -> Self {
        Self { user: user.into(), organizations: shown(memberships) }
    }
}

impl NoticeView {
    pub(super) fn new(message: &'static str) -> Self {
        Self { message }
    }
}

fn shown(memberships: Vec<Membership>) -> Vec<MembershipView> {
    let view = |it: Membership| MembershipView {
        id: it.organization.uuid(),
        name: it.name,
        role: it.role.as_str(),
    };
    memberships.into_iter().map(view).collect()
}

impl From<Session> for SessionView {
    fn from(session: Session) -> Self {
        Self {
            token: session.token,
            expires_at: session.expires_at.into(),
            user: session.user.into(),
        }
    }
}

impl From<User> for UserView {
    fn from(user: User) -> Self {
        Self {
            id: user.id.uuid(),
            email: user.email,
            email_verified: user.email_verified_at.is_some(),
            first_name: user.first_name,
            last_name: user.last_name,
            platform_role: user.platform_role.map(PlatformRole::as_str),
        }
    }
}
