//! Members of organizations: added, changed, removed and invited.

mod acceptance;
mod invitations;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::{Caller, Denied, Identity},
        invitation::{self, Invitation},
        membership::{ChangeKind, ChangeRefused, MemberChange},
        organization::{Member, Organization, Role},
        permission::Permission,
        user::{self, RegistrationRule, User},
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{fault::Faults, id::Id},
};
use ports::{
    identity::{
        auth::{PasswordHasher, UserRepository},
        identity_store::{IdentityStore, IdentityTransaction},
        invitations::InvitationRepository,
        organizations::OrganizationRepository,
    },
    platform::audit_log::AuditLog,
    shared::{clock::Clock, random::Random},
};

pub use self::{
    acceptance::{Acceptance, Accepted, INVITED_OTHER_ADDRESS},
    invitations::{ALREADY_INVITED, ALREADY_MEMBER, invitation_limit_reached},
};
use crate::{Error, Reason, identity::auth::NOT_A_MEMBER, shared::mailer::Mailer};

/// The added address is not registered.
pub const USER_NOT_FOUND: Reason =
    Reason::new("USER_NOT_FOUND", "no user has registered with this email address");
/// The role, or the act, needs a verified address.
pub const EMAIL_NOT_VERIFIED: Reason =
    Reason::new("EMAIL_NOT_VERIFIED", "this needs a user whose email address is verified");

/// Operations on the members of organizations.
#[derive(Clone)]
pub struct Members {
    deps: Arc<MembersDeps>,
}

/// Dependencies of [`Members`].
pub struct MembersDeps {
    /// Source of organizations and their members.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Source of open invitations.
    pub invitations: Arc<dyn InvitationRepository>,
    /// Source of users.
    pub users: Arc<dyn UserRepository>,
    /// Transactions that change users and members.
    pub identity: Arc<dyn IdentityStore>,
    /// Hasher of passwords.
    pub passwords: Arc<dyn PasswordHasher>,
    /// Audit log of the changes.
    pub audit_log: Arc<dyn AuditLog>,
    /// Sender of invitations and of notices to added users.
    pub mailer: Arc<dyn Mailer>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets.
    pub random: Arc<dyn Random>,
    /// True if owners, administrators and inviters need a verified address.
    pub verifies_emails: bool,
    /// People who may register: the invited ones, unless nobody may.
    pub registration: RegistrationRule,
}

/// Unchecked addition of a registered user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Addition {
    /// Email address of the user. Required.
    pub email: Option<String>,
    /// Role of the user in the organization.
    pub role: Role,
}

/// Line of the audit log about a member or an invitation.
struct Act {
    by: Id<User>,
    request: RequestId,
    action: AuditAction,
    resource: Resource,
    details: BTreeMap<&'static str, String>,
}

/// Resource of a line of the audit log.
enum Resource {
    Organization,
    Invitation(Id<Invitation>),
}

impl Members {
    /// Creates the operations from their dependencies.
    pub fn new(deps: MembersDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Makes a registered user a member, or changes the role of a member. An added user with a verified
    /// address is mailed. `found` holds the faults found so far.
    pub async fn add(
        &self,
        caller: &Caller,
        addition: Addition,
        request: RequestId,
        mut found: Faults,
    ) -> Result<Member, Error> {
        caller.authorize(Permission::ManageMembers)?;
        let by = own_user(caller)?;
        let email = match addition.email {
            None if found.fields.contains_key("email") => None,
            email => found.take("email", user::checked_email(email.as_deref())),
        };
        let email = found.require(email)?;
        let user = self.deps.users.find_by_email(&email).await?;
        let user = user.ok_or(Error::UnknownReference(USER_NOT_FOUND))?;
        let role = addition.role;
        let change = MemberChange { by, user: user.id, kind: ChangeKind::Put(role) };
        let is_verified = user.email_verified_at.is_some();
        let joined_at = self.deps.clock.now();
        let before =
            self.change(caller.organization, change, is_verified, request, joined_at).await?;

        if let Some(member) = before {
            return Ok(Member { role, ..member });
        }
        if is_verified {
            self.notify_added(caller.organization, &user, role).await?;
        }
        Ok(Member {
            user: user.id,
            email: user.email,
            email_verified: is_verified,
            first_name: user.first_name,
            last_name: user.last_name,
            role,
            joined_at,
        })
    }

    /// Gives a member another role. `found` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        user: Id<User>,
        role: Option<Role>,
        request: RequestId,
        mut found: Faults,
    ) -> Result<Member, Error> {
        caller.authorize(Permission::ManageMembers)?;
        let by = own_user(caller)?;
        if role.is_none() && !found.fields.contains_key("role") {
            found.add("role", "is required");
        }
        let role = found.require(role)?;
        let change = MemberChange { by, user, kind: ChangeKind::Update(role) };
        let before =
            self.change(caller.organization, change, false, request, self.deps.clock.now()).await?;
        before.map(|member| Member { role, ..member }).ok_or(Error::NotFound("member"))
    }

    /// Removes a member.
    pub async fn remove(
        &self,
        caller: &Caller,
        user: Id<User>,
        request: RequestId,
    ) -> Result<(), Error> {
        caller.authorize(Permission::ManageMembers)?;
        let change = MemberChange { by: own_user(caller)?, user, kind: ChangeKind::Remove };
        self.change(caller.organization, change, false, request, self.deps.clock.now()).await?;
        Ok(())
    }

    /// Removes the caller from the organization.
    pub async fn leave(&self, caller: &Caller, request: RequestId) -> Result<(), Error> {
        let user = own_user(caller)?;
        let change = MemberChange { by: user, user, kind: ChangeKind::Remove };
        self.change(caller.organization, change, false, request, self.deps.clock.now()).await?;
        Ok(())
    }

    /// Checks a change, writes it down and makes it. Returns the member as they were before; `None` if
    /// they were none. `is_verified` is true if a user who is not a member has a verified address.
    async fn change(
        &self,
        organization: Id<Organization>,
        change: MemberChange,
        is_verified: bool,
        request: RequestId,
        now: DateTime<Utc>,
    ) -> Result<Option<Member>, Error> {
        let members = self.deps.organizations.members(organization).await?;
        let current = self.permit(&change, &members, is_verified)?;
        if let Some(act) = act(&change, current, request) {
            self.write_down(organization, act).await?;
        }
        let mut tx = self.deps.identity.begin().await?;
        tx.lock_organization(organization).await?.ok_or(Error::NotFound("organization"))?;
        let members = tx.members(organization).await?;
        self.permit(&change, &members, is_verified)?;
        match change.kind {
            ChangeKind::Put(role) | ChangeKind::Update(role) => {
                tx.put_member(organization, change.user, role, now).await?;
            }
            ChangeKind::Remove => tx.remove_member(organization, change.user).await?,
        }
        tx.commit().await?;
        Ok(members.into_iter().find(|member| member.user == change.user))
    }

    /// Fails unless the rules allow the change. Returns the present role of the user.
    fn permit(
        &self,
        change: &MemberChange,
        members: &[Member],
        is_verified: bool,
    ) -> Result<Option<Role>, Error> {
        let current = change.check(members)?;
        let mut verified = members.iter().filter(|member| member.email_verified);
        let is_verified = is_verified || verified.any(|member| member.user == change.user);
        if self.deps.verifies_emails && !is_verified && change.needs_verified_address(current) {
            return Err(Error::Conflict(EMAIL_NOT_VERIFIED));
        }
        Ok(current)
    }

    /// Mails a user that they were added, unless there were too many such mails and invitations. The
    /// mail contains no user-supplied text.
    async fn notify_added(
        &self,
        organization: Id<Organization>,
        user: &User,
        role: Role,
    ) -> Result<(), Error> {
        let now = self.deps.clock.now();
        let mut tx = self.deps.identity.begin().await?;
        let wait = count_mail(&mut *tx, organization, &user.email, now).await?;
        if wait.is_some() {
            return Ok(());
        }
        tx.commit().await?;
        let body = format!(
            "Hello,\n\nyou are now a member of the organization\n{organization}, with the role \
             {role}.\n\nIf you do not want that, sign in and leave it: POST /organizations/leave.\n",
        );
        let key = format!("member-{organization}-{}", user.id);
        let subject = "You were added to an organization";
        self.deps.mailer.send_service_notice(&user.email, subject, body, key).await
    }

    async fn write_down(&self, organization: Id<Organization>, act: Act) -> Result<(), Error> {
        let now = self.deps.clock.now();
        let (resource_type, resource) = match act.resource {
            Resource::Organization => ("ORGANIZATION", organization.uuid()),
            Resource::Invitation(id) => ("INVITATION", id.uuid()),
        };
        let actor = Actor { user: act.by, request: act.request, is_impersonating: false };
        let entry = AuditEntry::of(organization, now, actor, act.action);
        let entry = entry.on(resource_type, resource).with(act.details);
        Ok(self.deps.audit_log.record(&entry).await?)
    }
}

/// Returns the line about a change; `None` for a change that changes nothing.
fn act(change: &MemberChange, current: Option<Role>, request: RequestId) -> Option<Act> {
    let mut details = BTreeMap::from([("userId", change.user.to_string())]);
    details.extend(current.map(|role| ("previousRole", role.to_string())));
    let action = match change.kind {
        ChangeKind::Put(role) | ChangeKind::Update(role) => {
            if current == Some(role) {
                return None;
            }
            details.insert("role", role.to_string());
            if current.is_some() {
                AuditAction::MemberRoleChanged
            } else {
                AuditAction::MemberAdded
            }
        }
        ChangeKind::Remove if change.by == change.user => AuditAction::MemberLeft,
        ChangeKind::Remove => AuditAction::MemberRemoved,
    };
    Some(Act { by: change.by, request, action, resource: Resource::Organization, details })
}

/// Counts a mail to somebody who did not ask for it. Returns the time to wait if there are too many.
async fn count_mail(
    tx: &mut dyn IdentityTransaction,
    organization: Id<Organization>,
    email: &str,
    now: DateTime<Utc>,
) -> Result<Option<TimeDelta>, Error> {
    let since = now - invitation::MAIL_WINDOW;
    let mails = tx.count_invitation_mail(organization, email, now, since).await?;
    Ok(invitation::wait(mails, now))
}

/// Returns the member who calls. Fails for administrators who act as the organization, and for API keys.
fn own_user(caller: &Caller) -> Result<Id<User>, Denied> {
    match caller.identity {
        Identity::Member { user, .. } => Ok(user),
        Identity::Impersonator { .. } => Err(Denied::Impersonating),
        Identity::ApiKey { .. } => Err(Denied::ApiKey),
    }
}

impl From<ChangeRefused> for Error {
    fn from(refused: ChangeRefused) -> Self {
        match refused {
            ChangeRefused::Outsider => Self::Forbidden(NOT_A_MEMBER),
            ChangeRefused::Role => Denied::Role.into(),
            ChangeRefused::NoMember => Self::NotFound("member"),
            ChangeRefused::Owners(refused) => refused.into(),
        }
    }
}
