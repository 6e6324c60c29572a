//! `/organizations/invitations`

use actix_web::web::Data;
use domain::identity::invitation::{Invitation, InvitationRequest};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::members::{
        ALREADY_INVITED, ALREADY_MEMBER, EMAIL_NOT_VERIFIED, invitation_limit_reached,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::roles::PageWithRoles;
use crate::inbound::{
    Api,
    identity::mails::invitation_page,
    shared::{
        answers::{Answer, Created, NoContent},
        body::Body,
        caller::Member,
        endpoint::{Endpoint, delete, get, post_once},
        error::ApiError,
        formats::{RoleName, Timestamp},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
        request_id::ThisRequest,
    },
};

pub(super) fn endpoints() -> [Endpoint; 4] {
    [
        get("/organizations/invitations", "listInvitations", list)
            .extension()
            .summary("List the open invitations.")
            .description("Newest first. `roles` names what each role allows.")
            .answers("The invitations."),
        post_once("/organizations/invitations", "createInvitation", create)
            .extension()
            .summary("Invite a person.")
            .description(
                "Mails a link to the address, whether or not somebody is registered with it. It \
                 works once, for seven days. The mail names the organization and the address of \
                 the inviter, which must be verified unless the service verifies none. Only owners \
                 can invite owners. An invitation is valid as long as the inviter may invite. At \
                 most 50 mails a day are sent for an organization, and 5 to an address.",
            )
            .answers("The invitation.")
            .refuses(Error::Conflict(ALREADY_MEMBER))
            .refuses(Error::Conflict(ALREADY_INVITED))
            .refuses(invitation_limit_reached())
            .refuses(Error::Conflict(EMAIL_NOT_VERIFIED)),
        delete("/organizations/invitations/{id}", "withdrawInvitation", withdraw)
            .extension()
            .summary("Withdraw an invitation.")
            .description("Its link stops to work.")
            .answers("The invitation is withdrawn."),
        post_once("/organizations/invitations/{id}/resend", "resendInvitation", resend)
            .extension()
            .summary("Send an invitation again.")
            .description(
                "Mails another link, for another seven days. The earlier link stops to work. The \
                 caller becomes the inviter.",
            )
            .answers("The invitation.")
            .refuses(Error::Conflict(EMAIL_NOT_VERIFIED)),
    ]
}

impl Identified for Invitation {
    const NAME: &'static str = "invitation";
}

impl FromFields for InvitationRequest {
    const NAME: &'static str = "CreateInvitationRequest";
    const ABOUT: &'static str = "A person to invite.";

    fn from_fields(fields: &mut Fields) -> Self {
        let email =
            field("email").format("email").about("The address to which the link is mailed.");
        let role = field("role").about("The role of the invited person; `VIEWER` if absent.");
        Self { email: fields.required(email), role: fields.optional(role).unwrap_or_default() }
    }

    fn example() -> Value {
        json!({ "email": "esi@example.com", "role": "CAMPAIGN_MANAGER" })
    }
}

/// An open invitation.
#[derive(Serialize, ToSchema)]
#[schema(as = Invitation)]
#[serde(rename_all = "camelCase")]
struct InvitationView {
    id: Uuid,
    #[schema(format = Email)]
    email: String,
    /// Role that the invited person gets.
    #[schema(value_type = RoleName)]
    role: &'static str,
    /// User who invited, or sent the invitation again.
    invited_by: Uuid,
    created_at: Timestamp,
    /// Time at which the link stops to work.
    expires_at: Timestamp,
}

impl From<Invitation> for InvitationView {
    fn from(invitation: Invitation) -> Self {
        Self {
            id: invitation.id.uuid(),
            email: invitation.email,
            role: invitation.role.as_str(),
            invited_by: invitation.invited_by.uuid(),
            created_at: invitation.created_at.into(),
            expires_at: invitation.expires_at.into(),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<PageWithRoles<InvitationView>, ApiError> {
    let ShortPage(page) = query.read()?;
    let invitations = api.members.invitations(&caller).await?;
    Ok(PageWithRoles::new(page.part(invitations)))
}

async fn create(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    body: Body<InvitationRequest>,
) -> Result<Created<InvitationView>, ApiError> {
    let (invitation, faults) = body.read()?;
    let page = invitation_page(&api);
    let invitation = api.members.invite(&caller, &invitation, &page, request, faults).await?;
    Ok(Created::new(invitation))
}

async fn withdraw(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<Invitation>,
) -> Result<NoContent, ApiError> {
    api.members.withdraw(&caller, id.or_unknown(), request).await?;
    Ok(NoContent)
}

async fn resend(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<Invitation>,
) -> Result<Answer<InvitationView>, ApiError> {
    let page = invitation_page(&api);
    Ok(Answer::new(api.members.resend(&caller, id.or_unknown(), &page, request).await?))
}
