//! Second step of creating an organization. The first step writes the organization and its members,
//! which all share a server. This one writes what belongs to the organization alone; it may be on
//! another server, so it is not part of the first step's transaction. It can be repeated at any time.

use std::sync::Arc;

use chrono::TimeDelta;
use derive_more::Constructor;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};
use ports::{
    identity::organizations::OrganizationRepository,
    money::billing::WalletRepository,
    shared::{clock::Clock, store::StoreError},
};

/// Time for which the request that created an organization may still be provisioning it.
const IN_FLIGHT: TimeDelta = TimeDelta::seconds(10);
/// Number of organizations provisioned per pass.
const PAGE: usize = 100;

/// Provisions new organizations.
#[derive(Clone, Constructor)]
pub struct Provisioning {
    organizations: Arc<dyn OrganizationRepository>,
    wallets: Arc<dyn WalletRepository>,
    clock: Arc<dyn Clock>,
    /// Credit with which wallets open.
    trial_credit: Money,
}

impl Provisioning {
    /// Provisions an organization. It is idempotent: there is one wallet and one trial credit.
    pub async fn provision(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        self.wallets.open(organization, self.trial_credit, self.clock.now()).await?;
        self.organizations.mark_provisioned(organization).await
    }

    /// Provisions organizations whose creation was interrupted, and returns their number. Call every
    /// few seconds; any number of instances may do so at once. A failure does not delay other
    /// organizations.
    pub async fn provision_left(&self) -> Result<usize, StoreError> {
        let founded_before = self.clock.now() - IN_FLIGHT;
        let left = self.organizations.unprovisioned(founded_before, PAGE).await?;
        let mut provisioned = 0;
        for organization in left {
            match self.provision(organization).await {
                Ok(()) => provisioned += 1,
                Err(error) => {
                    tracing::warn!(%error, %organization, "failed to provision an organization");
                }
            }
        }
        Ok(provisioned)
    }
}

#[cfg(test)]
mod tests;
