//! Organizations and their members.

use std::sync::Arc;

use domain::{
    identity::{
        caller::{Caller, Identity},
        organization::{self, Member, Organization, OrganizationUpdate, Role, RoleRefused},
        permission::Permission,
        spending::SpendingUpdate,
        user,
    },
    money::wallet::Wallet,
    shared::fault::Faults,
};
use ports::{
    identity::{identity_store::IdentityStore, organizations::OrganizationRepository},
    money::billing::WalletRepository,
    shared::clock::Clock,
};

use crate::{
    Error, Reason,
    identity::{auth::UNAUTHORIZED, policies::Policies, spending::Spending},
    shared::refusals::wallet_not_open,
};

/// The invited address is not registered.
pub const USER_NOT_FOUND: Reason =
    Reason::new("USER_NOT_FOUND", "no user has registered with this email address");

/// Operations on organizations.
#[derive(Clone)]
pub struct Organizations {
    repository: Arc<dyn OrganizationRepository>,
    wallets: Arc<dyn WalletRepository>,
    identity: Arc<dyn IdentityStore>,
    policies: Policies,
    spending: Spending,
    clock: Arc<dyn Clock>,
}

/// Dependencies of [`Organizations`].
pub struct OrganizationsDeps {
    /// Source of organizations and their members.
    pub repository: Arc<dyn OrganizationRepository>,
    /// Source of wallets.
    pub wallets: Arc<dyn WalletRepository>,
    /// Transactions that change organizations and members.
    pub identity: Arc<dyn IdentityStore>,
    /// Cached policies, evicted when settings change.
    pub policies: Policies,
    /// Transfer of spending rules to wallets.
    pub spending: Spending,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

/// An organization with its wallet and members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The organization.
    pub organization: Organization,
    /// Its wallet.
    pub wallet: Wallet,
    /// Its members.
    pub members: Vec<Member>,
}

/// Unchecked invitation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invitation {
    /// Email address of the user to invite. Required.
    pub email: Option<String>,
    /// Role of the user in the organization.
    pub role: Role,
}

impl Organizations {
    /// Creates the operations from their dependencies.
    pub fn new(deps: OrganizationsDeps) -> Self {
        let OrganizationsDeps { repository, wallets, identity, policies, spending, clock } = deps;
        Self { repository, wallets, identity, policies, spending, clock }
    }

    /// Returns the caller's organization.
    pub async fn current(&self, caller: &Caller) -> Result<Overview, Error> {
        caller.authorize(Permission::Read)?;
        let id = caller.organization;
        let organization = self.repository.find(id).await?;
        let organization = organization.ok_or(Error::NotFound("organization"))?;
        let wallet = self.wallets.find(id).await?.ok_or_else(wallet_not_open)?;
        let members = self.repository.members(id).await?;
        Ok(Overview { organization, wallet, members })
    }

    /// Changes the caller's organization. `found` holds the faults found so far. If this fails before
    /// the spending rules reach the wallet, they are applied within seconds.
    pub async fn update(
        &self,
        caller: &Caller,
        update: OrganizationUpdate,
        mut found: Faults,
    ) -> Result<Overview, Error> {
        caller.authorize(Permission::ManageOrganization)?;
        found.merge("", update.faults());
        let update = found.or(update)?;

        let mut tx = self.identity.begin().await?;
        let organization = tx.lock_organization(caller.organization).await?;
        let mut organization = organization.ok_or(Error::NotFound("organization"))?;
        update.apply(&mut organization);
        tx.update_organization(&organization).await?;
        tx.commit().await?;
        self.policies.forget(caller.organization);
        if update.settings.spending != SpendingUpdate::default() {
            self.spending.apply(caller.organization).await?;
        }
        self.current(caller).await
    }

    /// Returns the members of the caller's organization.
    pub async fn members(&self, caller: &Caller) -> Result<Vec<Member>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.members(caller.organization).await?)
    }

    /// Makes a user a member, or changes the role of a member.
    pub async fn invite(
        &self,
        caller: &Caller,
        invitation: Invitation,
        mut found: Faults,
    ) -> Result<Member, Error> {
        caller.authorize(Permission::ManageMembers)?;
        let email = match invitation.email {
            None if found.fields.contains_key("email") => None,
            email => found.take("email", user::checked_email(email.as_deref())),
        };
        let email = found.require(email)?;
        let Identity::Member { role: granter, .. } = caller.identity else {
            return Err(Error::Unauthenticated(UNAUTHORIZED));
        };

        let mut tx = self.identity.begin().await?;
        let id = caller.organization;
        tx.lock_organization(id).await?.ok_or(Error::NotFound("organization"))?;
        let user =
            tx.find_user_by_email(&email).await?.ok_or(Error::UnknownReference(USER_NOT_FOUND))?;
        let members = tx.members(id).await?;
        let current = members.iter().find(|member| member.user == user.id);
        let owners = members.iter().filter(|member| member.role == Role::Owner).count();
        organization::grant(granter, current.map(|member| member.role), invitation.role, owners)?;

        let now = self.clock.now();
        tx.put_member(id, user.id, invitation.role, now).await?;
        tx.commit().await?;
        Ok(Member {
            user: user.id,
            email: user.email,
            email_verified: user.email_verified_at.is_some(),
            first_name: user.first_name,
            last_name: user.last_name,
            role: invitation.role,
            joined_at: current.map_or(now, |member| member.joined_at),
        })
    }
}

impl From<RoleRefused> for Error {
    fn from(refused: RoleRefused) -> Self {
        let message = refused.to_string();
        match refused {
            RoleRefused::OwnersOnly => Self::Forbidden(Reason::with_message("FORBIDDEN", message)),
            RoleRefused::LastOwner => Self::Conflict(Reason::with_message("LAST_OWNER", message)),
        }
    }
}
