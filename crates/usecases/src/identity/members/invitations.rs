//! Invitations: created, listed, mailed again and withdrawn.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    identity::{
        actor::RequestId,
        caller::{Caller, Identity},
        invitation::{self, Invitation, InvitationRequest, MAX_OPEN},
        organization::{self, Organization, Role},
        permission::Permission,
        user::User,
    },
    platform::audit::AuditAction,
    shared::{fault::Faults, id::Id},
};

use super::{Act, EMAIL_NOT_VERIFIED, Members, Resource, count_mail, own_user};
use crate::{
    Error, Reason,
    shared::{digest, limits::Limit},
};

/// The address belongs to a member.
pub const ALREADY_MEMBER: Reason =
    Reason::new("ALREADY_MEMBER", "this address belongs to a member of the organization");
/// The address has an open invitation.
pub const ALREADY_INVITED: Reason = Reason::new(
    "ALREADY_INVITED",
    "this address has an open invitation: send it again, or withdraw it",
);

const NOT_FOUND: Error = Error::NotFound("invitation");

/// The organization has as many open invitations as it may have.
pub fn invitation_limit_reached() -> Error {
    let message = format!("an organization has at most {MAX_OPEN} open invitations");
    let reason = Reason::with_message("INVITATION_LIMIT_REACHED", message);
    Error::Conflict(reason.about("limit", MAX_OPEN.to_string()))
}

impl Members {
    /// Invites the person with that address, registered or not, by a mailed link to `page`. `found`
    /// holds the faults found so far. If this fails after the invitation is stored, it can be sent again.
    pub async fn invite(
        &self,
        caller: &Caller,
        request: &InvitationRequest,
        page: &str,
        request_id: RequestId,
        found: Faults,
    ) -> Result<Invitation, Error> {
        caller.authorize(Permission::ManageMembers)?;
        let by = own_user(caller)?;
        let (id, now) = (caller.organization, self.deps.clock.now());
        let invitation = found.check(request.check(id, by, now))?;
        grant(caller, invitation.role)?;
        let inviter = self.inviter(by).await?;

        let token = invitation::token(&self.deps.random.secret(), id);
        let mut tx = self.deps.identity.begin().await?;
        let organization = tx.lock_organization(id).await?;
        let organization = organization.ok_or(Error::NotFound("organization"))?;
        if tx.members(id).await?.iter().any(|member| invitation.is_for(&member.email)) {
            return Err(Error::Conflict(ALREADY_MEMBER));
        }
        let open = tx.invitations(id, now).await?;
        if open.iter().any(|other| other.is_for(&invitation.email)) {
            return Err(Error::Conflict(ALREADY_INVITED));
        }
        if open.len() >= MAX_OPEN {
            return Err(invitation_limit_reached());
        }
        if let Some(wait) = count_mail(&mut *tx, id, &invitation.email, now).await? {
            return Err(too_many_mails(wait));
        }
        tx.insert_invitation(&invitation, digest::of_secret(token.as_bytes())).await?;
        tx.commit().await?;
        let action = AuditAction::InvitationCreated;
        self.write_down(id, act(by, request_id, action, &invitation)).await?;
        self.mail(&invitation, &organization, &inviter, &format!("{page}?token={token}")).await?;
        Ok(invitation)
    }

    /// Returns the open invitations of the caller's organization, newest first.
    pub async fn invitations(&self, caller: &Caller) -> Result<Vec<Invitation>, Error> {
        caller.authorize(Permission::Read)?;
        own_user(caller)?;
        Ok(self.deps.invitations.list(caller.organization, self.deps.clock.now()).await?)
    }

    /// Mails another link to `page`. The earlier one stops to work, and the invitation lasts anew.
    pub async fn resend(
        &self,
        caller: &Caller,
        id: Id<Invitation>,
        page: &str,
        request: RequestId,
    ) -> Result<Invitation, Error> {
        caller.authorize(Permission::ManageMembers)?;
        let by = own_user(caller)?;
        let (organization, now) = (caller.organization, self.deps.clock.now());
        self.own_invitation(caller, id).await?;
        let inviter = self.inviter(by).await?;

        let token = invitation::token(&self.deps.random.secret(), organization);
        let mut tx = self.deps.identity.begin().await?;
        let owner = tx.lock_organization(organization).await?;
        let owner = owner.ok_or(Error::NotFound("organization"))?;
        let open = tx.invitations(organization, now).await?;
        let invitation = open.into_iter().find(|it| it.id == id).ok_or(NOT_FOUND)?;
        let invitation = invitation.renewed(by, now);
        if let Some(wait) = count_mail(&mut *tx, organization, &invitation.email, now).await? {
            return Err(too_many_mails(wait));
        }
        tx.renew_invitation(&invitation, digest::of_secret(token.as_bytes())).await?;
        tx.commit().await?;
        let action = AuditAction::InvitationResent;
        self.write_down(organization, act(by, request, action, &invitation)).await?;
        self.mail(&invitation, &owner, &inviter, &format!("{page}?token={token}")).await?;
        Ok(invitation)
    }

    /// Withdraws an invitation.
    pub async fn withdraw(
        &self,
        caller: &Caller,
        id: Id<Invitation>,
        request: RequestId,
    ) -> Result<(), Error> {
        caller.authorize(Permission::ManageMembers)?;
        let (by, organization) = (own_user(caller)?, caller.organization);
        let invitation = self.own_invitation(caller, id).await?;
        let action = AuditAction::InvitationWithdrawn;
        self.write_down(organization, act(by, request, action, &invitation)).await?;
        let mut tx = self.deps.identity.begin().await?;
        let is_withdrawn = tx.delete_invitation(organization, id).await?;
        tx.commit().await?;
        if is_withdrawn { Ok(()) } else { Err(NOT_FOUND) }
    }

    /// Returns an open invitation that the caller's role allows to handle.
    async fn own_invitation(
        &self,
        caller: &Caller,
        id: Id<Invitation>,
    ) -> Result<Invitation, Error> {
        let open = self.deps.invitations.list(caller.organization, self.deps.clock.now()).await?;
        let invitation = open.into_iter().find(|it| it.id == id).ok_or(NOT_FOUND)?;
        grant(caller, invitation.role)?;
        Ok(invitation)
    }

    /// Returns the user who invites. Fails if their address must be verified and is not: the mail names
    /// it.
    async fn inviter(&self, user: Id<User>) -> Result<User, Error> {
        let user = self.deps.users.find(user).await?.ok_or(Error::NotFound("user"))?;
        if self.deps.verifies_emails && user.email_verified_at.is_none() {
            return Err(Error::Conflict(EMAIL_NOT_VERIFIED));
        }
        Ok(user)
    }

    /// Mails the link. Of the organization's name only letters, digits and spaces are shown, since the
    /// mail goes to a stranger.
    async fn mail(
        &self,
        invitation: &Invitation,
        organization: &Organization,
        inviter: &User,
        link: &str,
    ) -> Result<(), Error> {
        let is_verified = inviter.email_verified_at.is_some();
        let inviter = if is_verified { inviter.email.as_str() } else { "One of its members" };
        let name = invitation::shown_name(&organization.name);
        let name = if name.is_empty() { organization.id.to_string() } else { name };
        let body = format!(
            "Hello,\n\n{inviter} invites you to join the organization\n{name}.\n\nThis page, valid \
             for {} days and for one use, lets you accept:\n\n{link}\n\nIf you do not want to \
             join, ignore this mail.\n",
            invitation::LIFETIME.num_days(),
        );
        let subject = "You are invited to an organization";
        self.deps.mailer.send_service_mail(&invitation.email, subject, body).await
    }
}

/// Fails unless the caller's role may give `role` to a person who is not a member.
fn grant(caller: &Caller, role: Role) -> Result<(), Error> {
    let Identity::Member { role: granter, .. } = caller.identity else { return Ok(()) };
    Ok(organization::grant(granter, None, role, usize::MAX)?)
}

fn act(by: Id<User>, request: RequestId, action: AuditAction, invitation: &Invitation) -> Act {
    let details = BTreeMap::from([
        ("email", invitation.email.clone()),
        ("role", invitation.role.to_string()),
    ]);
    Act { by, request, action, resource: Resource::Invitation(invitation.id), details }
}

/// Refusal of a mail beyond the limits of the organization or of the address.
fn too_many_mails(wait: TimeDelta) -> Error {
    Limit::InvitationMails.count_refusal();
    Error::RateLimited(wait)
}
