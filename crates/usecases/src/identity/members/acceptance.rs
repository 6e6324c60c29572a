//! Acceptance of invitations, by users and by people who register with the mailed link.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    identity::{
        actor::RequestId,
        invitation::{self, Invitation},
        membership::{ChangeKind, MemberChange},
        organization::{Member, Membership, Organization},
        user::{Registration, RegistrationRule, User},
    },
    platform::audit::AuditAction,
    shared::{fault::Faults, id::Id},
};
use ports::{
    identity::{auth::EMAIL_TAKEN, identity_store::IdentityTransaction},
    shared::store::StoreError,
};

use super::{Act, Members, Resource};
use crate::{
    Error, Reason,
    identity::auth::{EMAIL_EXISTS, REGISTRATION_CLOSED},
    shared::digest,
};

/// The invitation is for another address than that of the user.
pub const INVITED_OTHER_ADDRESS: Reason = Reason::new(
    "INVITED_OTHER_ADDRESS",
    "the invitation is for another address: sign in with that one",
);

/// Unchecked acceptance of an invitation. The other fields than the token are for people without an
/// account.
#[derive(Clone, Default)]
pub struct Acceptance {
    /// Token that was mailed. Required.
    pub token: Option<String>,
    /// Invited address.
    pub email: Option<String>,
    /// Password of the new account.
    pub password: Option<String>,
    /// Given name.
    pub first_name: Option<String>,
    /// Family name.
    pub last_name: Option<String>,
}

/// Accepted invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// User who accepted.
    pub user: User,
    /// Organization that the user belongs to from now on.
    pub membership: Membership,
}

const INVALID_TOKEN: &str = "is invalid or has expired";

/// Valid token.
struct Ticket {
    organization: Id<Organization>,
    hash: [u8; 32],
    invitation: Invitation,
}

impl Members {
    /// Accepts an invitation as a signed-in user, whose address the token verifies. A member keeps
    /// their role. `found` holds the faults found so far.
    pub async fn accept(
        &self,
        user: User,
        acceptance: Acceptance,
        request: RequestId,
        mut found: Faults,
    ) -> Result<Accepted, Error> {
        let Acceptance { token, email, password, first_name, last_name } = acceptance;
        for (field, value) in [
            ("email", email),
            ("password", password),
            ("firstName", first_name),
            ("lastName", last_name),
        ] {
            if value.is_some() {
                found.add(field, "is for people who are not signed in");
            }
        }
        let ticket = self.ticket(token, found).await?;
        if !ticket.invitation.is_for(&user.email) {
            return Err(Error::Forbidden(INVITED_OTHER_ADDRESS));
        }
        self.write_down(ticket.organization, act(&ticket.invitation, &user, request)).await?;
        let now = self.deps.clock.now();
        let mut tx = self.deps.identity.begin().await?;
        let (organization, invitation) = take(&mut *tx, &ticket, now).await?;
        let user = User { email_verified_at: user.email_verified_at.or(Some(now)), ..user };
        tx.verify_email(user.id, now).await?;
        let membership = join(&mut *tx, organization, &invitation, &user, now).await?;
        tx.commit().await?;
        Ok(Accepted { user, membership })
    }

    /// Accepts an invitation as a person without an account, and creates the account with a verified
    /// address. `found` holds the faults found so far.
    pub async fn register(
        &self,
        acceptance: Acceptance,
        request: RequestId,
        found: Faults,
    ) -> Result<Accepted, Error> {
        let Acceptance { token, email, password, first_name, last_name } = acceptance;
        let ticket = self.ticket(token, found).await?;
        let mut found = Faults::default();
        if self.deps.registration == RegistrationRule::Closed {
            return Err(Error::Forbidden(REGISTRATION_CLOSED));
        }
        let invited = ticket.invitation.email.clone();
        if email.is_some_and(|email| !ticket.invitation.is_for(&email)) {
            found.add("email", "must be the invited address");
        }
        let registration = Registration {
            email: Some(invited.clone()),
            password,
            first_name,
            last_name,
            ..Registration::default()
        };
        let registration = found.check(registration.check())?;
        if self.deps.users.find_by_email(&invited).await?.is_some() {
            return Err(Error::Conflict(EMAIL_EXISTS));
        }
        let hash = self.deps.passwords.hash(registration.password.clone()).await?;
        let now = self.deps.clock.now();
        let user = User { email_verified_at: Some(now), ..registration.user(hash, None, now) };
        self.write_down(ticket.organization, act(&ticket.invitation, &user, request)).await?;
        let mut tx = self.deps.identity.begin().await?;
        let (organization, invitation) = take(&mut *tx, &ticket, now).await?;
        tx.insert_user(&user).await.map_err(taken_email)?;
        let membership = join(&mut *tx, organization, &invitation, &user, now).await?;
        tx.commit().await?;
        Ok(Accepted { user, membership })
    }

    /// Finds the open invitation of a token. Fails with the faults found so far.
    async fn ticket(&self, token: Option<String>, mut found: Faults) -> Result<Ticket, Error> {
        let token = token.filter(|token| !token.is_empty());
        if token.is_none() && !found.fields.contains_key("token") {
            found.add("token", "is required");
        }
        let organization = token.as_deref().and_then(invitation::organization_of);
        if token.is_some() && organization.is_none() {
            found.add("token", INVALID_TOKEN);
        }
        let (token, organization) = found.require(token.zip(organization))?;
        let hash = digest::of_secret(token.as_bytes());
        let now = self.deps.clock.now();
        let invitation = self.deps.invitations.find(organization, hash, now).await?;
        let invitation = invitation.ok_or_else(invalid_token)?;
        let members = self.deps.organizations.members(organization).await?;
        if !is_backed(&invitation, &members) {
            return Err(invalid_token());
        }
        Ok(Ticket { organization, hash, invitation })
    }
}

/// Consumes the invitation of a valid token, and locks its organization.
async fn take(
    tx: &mut dyn IdentityTransaction,
    ticket: &Ticket,
    now: DateTime<Utc>,
) -> Result<(Organization, Invitation), Error> {
    let organization = tx.lock_organization(ticket.organization).await?;
    let organization = organization.ok_or_else(invalid_token)?;
    let invitation = tx.take_invitation(ticket.organization, ticket.hash, now).await?;
    Ok((organization, invitation.ok_or_else(invalid_token)?))
}

/// Makes the user a member with the role of the invitation, unless they are one.
async fn join(
    tx: &mut dyn IdentityTransaction,
    organization: Organization,
    invitation: &Invitation,
    user: &User,
    now: DateTime<Utc>,
) -> Result<Membership, Error> {
    let members = tx.members(organization.id).await?;
    if !is_backed(invitation, &members) {
        return Err(invalid_token());
    }
    let current = members.iter().find(|member| member.user == user.id).map(|member| member.role);
    if current.is_none() {
        tx.put_member(organization.id, user.id, invitation.role, now).await?;
    }
    let role = current.unwrap_or(invitation.role);
    let closed_at = organization.settings.closed_at;
    Ok(Membership { organization: organization.id, name: organization.name, role, closed_at })
}

/// True if the member who invited may still give the role: an invitation must not outlast that right.
fn is_backed(invitation: &Invitation, members: &[Member]) -> bool {
    let (by, kind) = (invitation.invited_by, ChangeKind::Put(invitation.role));
    // Nobody has this identifier: the invited person counts as no member yet.
    let user = Id::of(invitation.id.uuid());
    MemberChange { by, user, kind }.check(members).is_ok()
}

fn act(invitation: &Invitation, user: &User, request: RequestId) -> Act {
    let details = BTreeMap::from([
        ("userId", user.id.to_string()),
        ("invitedBy", invitation.invited_by.to_string()),
        ("role", invitation.role.to_string()),
    ]);
    let (action, resource) = (AuditAction::InvitationAccepted, Resource::Invitation(invitation.id));
    Act { by: user.id, request, action, resource, details }
}

/// Refusal of a mailed token that is unknown, used, withdrawn or expired.
fn invalid_token() -> Error {
    Faults::field("token", INVALID_TOKEN).into()
}

fn taken_email(error: StoreError) -> Error {
    match error {
        StoreError::Conflict { constraint } if constraint == EMAIL_TAKEN => {
            Error::Conflict(EMAIL_EXISTS)
        }
        other => other.into(),
    }
}
