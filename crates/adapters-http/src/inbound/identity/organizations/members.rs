//! Changes of members: `/organizations/invite`, `/organizations/members/{userId}` and
//! `/organizations/leave`.

use actix_web::web::Data;
use domain::{
    identity::{
        organization::{Member as OrganizationMember, Role, RoleRefused},
        user::User,
    },
    shared::id::Id,
};
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::members::{Addition, EMAIL_NOT_VERIFIED, USER_NOT_FOUND},
};

use super::view::MemberView;
use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, NoContent},
        body::Body,
        caller::Member,
        endpoint::{Endpoint, delete, patch, post, post_once},
        error::ApiError,
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        request_id::ThisRequest,
    },
};

pub(super) fn endpoints() -> [Endpoint; 4] {
    [
        post_once("/organizations/invite", "inviteMember", invite)
            .summary("Add a member.")
            .description(
                "Adds a registered user, who is notified by email if the address is verified, or \
                 gives a member another role. Only owners can make others owners. To invite \
                 somebody with their consent, registered or not, use \
                 `POST /organizations/invitations`.",
            )
            .answers("The member.")
            .refuses(Error::UnknownReference(USER_NOT_FOUND))
            .refuses(RoleRefused::LastOwner)
            .refuses(Error::Conflict(EMAIL_NOT_VERIFIED)),
        patch("/organizations/members/{userId}", "updateMember", update)
            .extension()
            .summary("Give a member another role.")
            .description(
                "For owners and administrators. Only owners can make others owners, or change an \
                 owner. Owners and administrators need a verified address, unless the service \
                 verifies none.",
            )
            .answers("The changed member.")
            .refuses(RoleRefused::LastOwner)
            .refuses(Error::Conflict(EMAIL_NOT_VERIFIED)),
        delete("/organizations/members/{userId}", "removeMember", remove)
            .extension()
            .summary("Remove a member.")
            .description(
                "For owners and administrators; only owners can remove an owner. The sessions of \
                 the user lose access to the organization at once. API keys stay.",
            )
            .answers("The member is removed.")
            .refuses(RoleRefused::LastOwner),
        post("/organizations/leave", "leaveOrganization", leave)
            .extension()
            .summary("Leave the organization.")
            .description("Every member may, except the last owner.")
            .answers("The user is no longer a member.")
            .refuses(RoleRefused::LastOwner),
    ]
}

impl FromFields for Addition {
    const NAME: &'static str = "InviteRequest";
    const ABOUT: &'static str = "A registered user to add, or a member to give another role.";

    fn from_fields(fields: &mut Fields) -> Self {
        let email = field("email").format("email").about("The address of a registered user.");
        let role = field("role").about("The role of the member; `VIEWER` if absent.");
        Self { email: fields.required(email), role: fields.optional(role).unwrap_or_default() }
    }

    fn example() -> Value {
        json!({ "email": "kofi@example.com", "role": "DEVELOPER" })
    }
}

struct MemberUpdate {
    role: Option<Role>,
}

impl FromFields for MemberUpdate {
    const NAME: &'static str = "UpdateMemberRequest";
    const ABOUT: &'static str = "A change of a member.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { role: fields.required(field("role").about("The new role of the member.")) }
    }

    fn example() -> Value {
        json!({ "role": "CAMPAIGN_MANAGER" })
    }
}

impl Identified for OrganizationMember {
    const NAME: &'static str = "member";
    const PARAMETER: &'static str = "userId";
}

async fn invite(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    body: Body<Addition>,
) -> Result<Created<MemberView>, ApiError> {
    let (addition, faults) = body.read()?;
    Ok(Created::new(api.members.add(&caller, addition, request, faults).await?))
}

async fn update(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<OrganizationMember>,
    body: Body<MemberUpdate>,
) -> Result<Answer<MemberView>, ApiError> {
    let (update, faults) = body.read()?;
    let member = api.members.update(&caller, user(id), update.role, request, faults).await?;
    Ok(Answer::new(member))
}

async fn remove(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<OrganizationMember>,
) -> Result<NoContent, ApiError> {
    api.members.remove(&caller, user(id), request).await?;
    Ok(NoContent)
}

async fn leave(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
) -> Result<NoContent, ApiError> {
    api.members.leave(&caller, request).await?;
    Ok(NoContent)
}

/// Returns the user that a path names. The role of the caller is checked first, so a malformed
/// identifier is one that nobody has.
fn user(id: PathId<OrganizationMember>) -> Id<User> {
    Id::of(id.or_unknown().uuid())
}
