//! Organizations and their members.

use std::sync::Arc;

use domain::{
    identity::{
        caller::Caller,
        organization::{Member, Organization, OrganizationUpdate, RoleRefused},
        permission::Permission,
        spending::SpendingUpdate,
    },
    money::wallet::Wallet,
    shared::fault::Faults,
};
use ports::{
    identity::{identity_store::IdentityStore, organizations::OrganizationRepository},
    money::billing::WalletRepository,
};

use crate::{
    Error, Reason,
    identity::{policies::Policies, spending::Spending},
    shared::refusals::wallet_not_open,
};

/// Operations on organizations.
#[derive(Clone)]
pub struct Organizations {
    deps: Arc<OrganizationsDeps>,
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

impl Organizations {
    /// Creates the operations from their dependencies.
    pub fn new(deps: OrganizationsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Returns the caller's organization without its wallet and members.
    pub async fn find(&self, caller: &Caller) -> Result<Organization, Error> {
        caller.authorize(Permission::Read)?;
        let organization = self.deps.repository.find(caller.organization).await?;
        organization.ok_or(Error::NotFound("organization"))
    }

    /// Returns the caller's organization.
    pub async fn current(&self, caller: &Caller) -> Result<Overview, Error> {
        let organization = self.find(caller).await?;
        let id = organization.id;
        let wallet = self.deps.wallets.find(id).await?.ok_or_else(wallet_not_open)?;
        let members = self.deps.repository.members(id).await?;
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

        let mut tx = self.deps.identity.begin().await?;
        let organization = tx.lock_organization(caller.organization).await?;
        let mut organization = organization.ok_or(Error::NotFound("organization"))?;
        update.apply(&mut organization);
        tx.update_organization(&organization).await?;
        tx.commit().await?;
        self.deps.policies.forget(caller.organization);
        if update.settings.spending != SpendingUpdate::default() {
            self.deps.spending.apply(caller.organization).await?;
        }
        self.current(caller).await
    }

    /// Returns the members of the caller's organization.
    pub async fn members(&self, caller: &Caller) -> Result<Vec<Member>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.deps.repository.members(caller.organization).await?)
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
