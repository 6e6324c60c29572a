//! Administration of organizations.

mod suspension;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use domain::{
    identity::{
        caller::Administrator,
        organization::{Organization, OwnLimits, OwnLimitsUpdate, PLATFORM, RateLimit, Settings},
    },
    money::revenue::Revenue,
    platform::{
        activity::Activity,
        audit::{AuditAction, AuditEntry},
        tenant::{Tenant, TenantFilter},
    },
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    identity::{identity_store::IdentityStore, organizations::OrganizationRepository},
    platform::{audit_log::AuditLog, tenants::TenantRepository},
    shared::clock::Clock,
};

use crate::{Error, identity::policies::Policies, shared::mailer::Mailer};

/// Operations on organizations by platform administrators.
#[derive(Clone)]
pub struct Tenants {
    deps: Arc<TenantsDeps>,
}

/// Dependencies of [`Tenants`].
pub struct TenantsDeps {
    /// Queries across organizations.
    pub repository: Arc<dyn TenantRepository>,
    /// Source of organizations and their members.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Transactions that change organizations.
    pub identity: Arc<dyn IdentityStore>,
    /// Audit log of the changes.
    pub audit_log: Arc<dyn AuditLog>,
    /// Sender of mails to owners.
    pub mailer: Arc<dyn Mailer>,
    /// Cached policies, evicted on changes.
    pub policies: Policies,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

/// Changes to the platform's settings of an organization. `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantUpdate {
    /// True to score the texts that it sends directly before they are sent.
    pub screening: Option<bool>,
    /// Its own rate limits.
    pub limits: OwnLimitsUpdate,
}

impl Tenants {
    /// Creates the operations from their dependencies.
    pub fn new(deps: TenantsDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Returns a page of all organizations but the platform's own, newest first.
    pub async fn page(
        &self,
        _: &Administrator,
        filter: TenantFilter,
        page: Page,
    ) -> Result<Paged<Tenant>, Error> {
        let found = self.deps.repository.page(&filter.checked()?, page).await?;
        let Paged { items, page, total, is_lower_bound } = found;
        Ok(Paged { items: self.with_what_they_have(items).await?, page, total, is_lower_bound })
    }

    /// Returns an organization.
    pub async fn get(&self, _: &Administrator, id: Id<Organization>) -> Result<Tenant, Error> {
        self.tenant(self.find(id).await?).await
    }

    /// Returns the names of organizations. Each is read on its own, because they may be on different
    /// servers. Those that do not exist are left out.
    pub async fn names(
        &self,
        _: &Administrator,
        ids: BTreeSet<Id<Organization>>,
    ) -> Result<BTreeMap<Id<Organization>, String>, Error> {
        let mut names = BTreeMap::new();
        for id in ids {
            let found = self.deps.organizations.find(id).await?;
            names.extend(found.map(|organization| (id, organization.name)));
        }
        Ok(names)
    }

    /// Returns the present traffic and payments of all organizations.
    pub async fn activity(&self, _: &Administrator) -> Result<Activity, Error> {
        Ok(self.deps.repository.activity(self.deps.clock.now()).await?)
    }

    /// Returns the takings and wallet balances of all organizations.
    pub async fn revenue(&self, _: &Administrator) -> Result<Revenue, Error> {
        let lines = self.deps.repository.revenue().await?;
        let wallet_balances = self.deps.repository.wallet_balances().await?;
        Ok(Revenue::of(&lines, wallet_balances, self.deps.clock.now()))
    }

    /// Changes an organization. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        admin: &Administrator,
        id: Id<Organization>,
        update: TenantUpdate,
        mut faults: Faults,
    ) -> Result<Tenant, Error> {
        if let Err(found) = update.limits.apply(OwnLimits::default()) {
            faults.merge_new("limits", found);
        }
        let update = faults.or(update)?;
        let organization = self.find(id).await?;
        if update == TenantUpdate::default() {
            return self.tenant(organization).await;
        }
        let (screening, limits) = (update.screening, update.limits);
        let mut details = BTreeMap::new();
        details.extend(screening.map(|screening| ("screening", screening.to_string())));
        if limits != OwnLimitsUpdate::default() {
            details.extend(described(limits.apply(organization.settings.limits)?));
        }
        self.write_down((admin, AuditAction::TenantUpdated), id, details).await?;
        let change = move |settings: &mut Settings| {
            settings.is_screened = screening.unwrap_or(settings.is_screened);
            settings.limits = limits.apply(settings.limits)?;
            Ok(())
        };
        self.tenant(self.change(id, change).await?).await
    }

    /// Returns an organization. Fails for the platform's own.
    async fn find(&self, id: Id<Organization>) -> Result<Organization, Error> {
        let found = self.deps.organizations.find(id).await?.filter(|it| it.id != PLATFORM);
        found.ok_or(NOT_FOUND)
    }

    /// Changes the settings of an organization, and evicts its cached policy.
    async fn change(
        &self,
        id: Id<Organization>,
        change: impl FnOnce(&mut Settings) -> Result<(), Faults> + Send,
    ) -> Result<Organization, Error> {
        let mut tx = self.deps.identity.begin().await?;
        let mut organization = tx.lock_organization(id).await?.ok_or(NOT_FOUND)?;
        change(&mut organization.settings)?;
        tx.update_organization(&organization).await?;
        tx.commit().await?;
        self.deps.policies.forget(id);
        Ok(organization)
    }

    /// Adds a line to the audit log of an organization, before the change: the log may contain a change
    /// that then failed, but never lacks one that was made.
    async fn write_down(
        &self,
        (admin, action): (&Administrator, AuditAction),
        id: Id<Organization>,
        details: BTreeMap<&'static str, String>,
    ) -> Result<(), Error> {
        let now = self.deps.clock.now();
        let entry = AuditEntry::of(id, now, admin.actor(), action).with(details);
        Ok(self.deps.audit_log.record(&entry).await?)
    }

    async fn tenant(&self, organization: Organization) -> Result<Tenant, Error> {
        let mut tenants = self.with_what_they_have(vec![organization]).await?;
        tenants.pop().ok_or(NOT_FOUND)
    }

    /// Adds members and wallets. These are read separately, because they may be on different servers.
    async fn with_what_they_have(
        &self,
        organizations: Vec<Organization>,
    ) -> Result<Vec<Tenant>, Error> {
        let ids: Vec<_> = organizations.iter().map(|organization| organization.id).collect();
        let members = self.deps.repository.members(&ids).await?;
        let balances = self.deps.repository.balances(&ids).await?;
        let tenants = organizations.into_iter().map(|organization| Tenant {
            members: members.get(&organization.id).copied().unwrap_or_default(),
            balance: balances.get(&organization.id).copied().unwrap_or_default(),
            organization,
        });
        Ok(tenants.collect())
    }
}

const NOT_FOUND: Error = Error::NotFound("organization");

/// Returns the limits of an organization for the audit log. Rates are per second and burst.
fn described(limits: OwnLimits) -> [(&'static str, String); 4] {
    let as_for_all = || "as for all".to_owned();
    let limit = |limit: Option<RateLimit>| match limit {
        Some(limit) => format!("{}/{}", limit.per_second(), limit.burst()),
        None => as_for_all(),
    };
    [
        ("liveLimit", limit(limits.live)),
        ("sandboxLimit", limit(limits.sandbox)),
        ("requestLimit", limit(limits.requests)),
        (
            "invoiceCreditLimit",
            limits.invoice_credit.map_or_else(as_for_all, |sum| sum.to_string()),
        ),
    ]
}

#[cfg(test)]
mod tests;
