//! Organizations, as platform administrators change them.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    audit::{AuditAction, AuditEntry},
    caller::Administrator,
    fault::Faults,
    id::Id,
    organization::{Organization, PLATFORM},
};
use ports::{
    audit_log::AuditLog, clock::Clock, identity::IdentityStore,
    organizations::OrganizationRepository,
};

use crate::{Error, policies::Policies};

/// Operations on organizations by platform administrators.
#[derive(Clone)]
pub struct Tenants {
    organizations: Arc<dyn OrganizationRepository>,
    identity: Arc<dyn IdentityStore>,
    audit_log: Arc<dyn AuditLog>,
    policies: Policies,
    clock: Arc<dyn Clock>,
}

/// Changes to what the platform decides about an organization. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantUpdate {
    /// Whether the texts that it sends directly are scored before they are handed over.
    pub screening: Option<bool>,
}

impl Tenants {
    /// Organizations as `organizations` keeps them; they are changed through `identity`, and
    /// `policies` is where messages are told of it.
    pub fn new(
        organizations: Arc<dyn OrganizationRepository>,
        identity: Arc<dyn IdentityStore>,
        audit_log: Arc<dyn AuditLog>,
        policies: Policies,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { organizations, identity, audit_log, policies, clock }
    }

    /// Changes an organization. `faults` is what is already known to be wrong. The audit log is written
    /// first: it may tell of a change that did not come to be, but never lacks one that did.
    pub async fn update(
        &self,
        admin: &Administrator,
        id: Id<Organization>,
        update: TenantUpdate,
        faults: Faults,
    ) -> Result<Organization, Error> {
        let update = faults.or(update)?;
        let found = self.organizations.find(id).await?.filter(|it| it.id != PLATFORM);
        let found = found.ok_or(Error::NotFound("organization"))?;
        let Some(screening) = update.screening else { return Ok(found) };

        let now = self.clock.now();
        let entry = AuditEntry {
            id: Id::new_in(now, id),
            organization: id,
            at: now,
            actor: admin.actor(),
            action: AuditAction::TenantUpdated,
            resource_type: "ORGANIZATION",
            resource: id.uuid(),
            details: BTreeMap::from([("screening", screening.to_string())]),
        };
        self.audit_log.record(&entry).await?;
        let mut tx = self.identity.begin().await?;
        let organization = tx.lock_organization(id).await?;
        let mut organization = organization.ok_or(Error::NotFound("organization"))?;
        organization.settings.is_screened = screening;
        tx.update_organization(&organization).await?;
        tx.commit().await?;
        self.policies.forget(id);
        Ok(organization)
    }
}

#[cfg(test)]
mod tests;
