//! Users and sessions in answers.

use domain::{
    identity::{
        open_session::OpenSession,
        organization::{Membership, Organization},
        user::{PlatformRole, User},
    },
    shared::id::Id,
};
use serde::Serialize;
use usecases::identity::{auth::Session, members::Accepted};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::formats::{PlatformRoleName, RoleName, Timestamp};

/// Session that a registration began.
#[derive(Serialize, ToSchema)]
#[schema(as = Registration)]
pub(super) struct RegistrationView {
    #[serde(flatten)]
    session: SessionView,
    /// Organization that was created, if one was named.
    organization: Option<CreatedOrganizationView>,
}

/// Session that a login began.
#[derive(Serialize, ToSchema)]
#[schema(as = Login)]
pub(super) struct LoginView {
    #[serde(flatten)]
    session: SessionView,
    /// The organizations that the user belongs to.
    organizations: Vec<MembershipView>,
}

/// Accepted invitation, with the session that it began if it created an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Acceptance)]
#[serde(rename_all = "camelCase")]
pub(super) struct AcceptanceView {
    /// Token of the session; null if the user was signed in.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi…")]
    token: Option<String>,
    /// Time at which the token expires.
    expires_at: Option<Timestamp>,
    user: UserView,
    /// Organization that the user belongs to from now on.
    organization: MembershipView,
}

/// User, with the organizations that they belong to.
#[derive(Serialize, ToSchema)]
#[schema(as = Profile)]
pub(super) struct ProfileView {
    #[serde(flatten)]
    user: UserView,
    /// The organizations that the user belongs to; for an administrator who impersonates one, that one.
    organizations: Vec<MembershipView>,
}

/// A session.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
#[serde(rename_all = "camelCase")]
struct SessionView {
    /// The token for the header `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi…")]
    token: String,
    /// Time at which the token expires.
    expires_at: Timestamp,
    user: UserView,
}

/// A user.
#[derive(Serialize, ToSchema)]
#[schema(as = User)]
#[serde(rename_all = "camelCase")]
struct UserView {
    id: Uuid,
    #[schema(format = Email)]
    email: String,
    /// Extension: true if the user has proved to read the mail of that address.
    email_verified: bool,
    /// Extension: true if logins need a code beside the password.
    second_factor: bool,
    #[schema(example = "Ama")]
    first_name: String,
    #[schema(example = "Mensah")]
    last_name: String,
    /// Role on the platform itself; null for nearly everybody, and while impersonating.
    #[schema(value_type = Option<PlatformRoleName>)]
    platform_role: Option<&'static str>,
}

/// Newly created organization.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundedOrganization)]
struct CreatedOrganizationView {
    id: Uuid,
    #[schema(example = "Kente Online")]
    name: String,
}

/// An organization that a user belongs to.
#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
#[serde(rename_all = "camelCase")]
struct MembershipView {
    id: Uuid,
    #[schema(example = "Kente Online")]
    name: String,
    /// Role of the user in the organization.
    #[schema(value_type = RoleName)]
    role: &'static str,
    /// Extension: time at which an owner closed it; null if it is open.
    closed_at: Option<Timestamp>,
}

/// A session of the user that has not ended.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenSession)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenSessionView {
    id: Uuid,
    /// Time at which the user signed in.
    created_at: Timestamp,
    /// Time of its last use, to ten minutes.
    last_used_at: Timestamp,
    /// Network address from which the user signed in.
    #[schema(example = "197.251.240.7")]
    address: String,
    /// Program with which the user signed in, as it names itself; null if it does not.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64)")]
    user_agent: Option<String>,
    /// True if it is the session of this request.
    is_current: bool,
}

/// Confirmation for people.
#[derive(Serialize, ToSchema)]
#[schema(as = Notice)]
pub(super) struct NoticeView {
    #[schema(example = "the password is updated")]
    message: &'static str,
}

impl RegistrationView {
    pub(super) fn of(session: Session, organization: Option<Organization>) -> Self {
        Self {
            session: session.into(),
            organization: organization.map(CreatedOrganizationView::from),
        }
    }
}

impl AcceptanceView {
    pub(super) fn of_member(accepted: Accepted) -> Self {
        Self {
            token: None,
            expires_at: None,
            user: accepted.user.into(),
            organization: accepted.membership.into(),
        }
    }

    pub(super) fn of_session(session: Session, membership: Membership) -> Self {
        Self {
            token: Some(session.token),
            expires_at: Some(session.expires_at.into()),
            user: session.user.into(),
            organization: membership.into(),
        }
    }
}

impl From<Organization> for CreatedOrganizationView {
    fn from(organization: Organization) -> Self {
        Self { id: organization.id.uuid(), name: organization.name }
    }
}

impl LoginView {
    pub(super) fn of(session: Session, memberships: Vec<Membership>) -> Self {
        Self {
            session: session.into(),
            organizations: memberships.into_iter().map(MembershipView::from).collect(),
        }
    }
}

impl ProfileView {
    pub(super) fn of(user: User, memberships: Vec<Membership>) -> Self {
        Self {
            user: user.into(),
            organizations: memberships.into_iter().map(MembershipView::from).collect(),
        }
    }
}

impl OpenSessionView {
    /// Returns a session, as a request of the session `current` shows it.
    pub(super) fn of(session: OpenSession, current: Id<OpenSession>) -> Self {
        Self {
            id: session.id.uuid(),
            created_at: session.created_at.into(),
            last_used_at: session.last_used_at.into(),
            address: session.address,
            user_agent: session.user_agent,
            is_current: session.id == current,
        }
    }
}

impl NoticeView {
    pub(super) fn new(message: &'static str) -> Self {
        Self { message }
    }
}

impl From<Membership> for MembershipView {
    fn from(membership: Membership) -> Self {
        Self {
            id: membership.organization.uuid(),
            name: membership.name,
            role: membership.role.as_str(),
            closed_at: membership.closed_at.map(Timestamp::from),
        }
    }
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
            second_factor: user.second_factor_at.is_some(),
            first_name: user.first_name,
            last_name: user.last_name,
            platform_role: user.platform_role.map(PlatformRole::as_str),
        }
    }
}
