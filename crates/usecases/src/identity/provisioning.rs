//! The second step of founding an organization. The first writes what all organizations share a server
//! for: the organization and its members. This one writes what belongs to that organization alone, and
//! may be on another server, so it is no part of the first one's transaction. It can be repeated at any
//! time.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};
use ports::{
    identity::organizations::OrganizationRepository,
    money::billing::WalletRepository,
    shared::{clock::Clock, store::StoreError},
};

/// For how long the request that founded an organization may still be at it.
const IN_FLIGHT: TimeDelta = TimeDelta::seconds(10);
/// How many organizations are looked after at a time.
const PAGE: usize = 100;

/// Gives new organizations all that they need.
#[derive(Clone)]
pub struct Provisioning {
    organizations: Arc<dyn OrganizationRepository>,
    wallets: Arc<dyn WalletRepository>,
    clock: Arc<dyn Clock>,
    trial_credit: Money,
}

impl Provisioning {
    /// Provisions what `organizations` knows. Wallets open with `trial_credit`.
    pub fn new(
        organizations: Arc<dyn OrganizationRepository>,
        wallets: Arc<dyn WalletRepository>,
        clock: Arc<dyn Clock>,
        trial_credit: Money,
    ) -> Self {
        Self { organizations, wallets, clock, trial_credit }
    }

    /// Provisions an organization. However often that is done, it has one wallet and one trial credit.
    pub async fn provision(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        self.wallets.open(organization, self.trial_credit, self.clock.now()).await?;
        self.organizations.mark_provisioned(organization).await
    }

    /// Provisions organizations whose founding was cut short, and returns how many. To be called every
    /// few seconds; any number of instances may do so at once. One that fails delays none but itself.
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
