//! Administration of prices and plans.

use std::{collections::BTreeMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        caller::Administrator,
        organization::{Organization, PLATFORM},
    },
    money::pricing::{
        ChangeRefused, Plan, PlanRequest, PricingChange, PricingFilter, PricingRule,
        PricingRuleRequest, PricingRuleUpdate, Version,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{
        country::Country,
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    identity::organizations::OrganizationRepository,
    money::pricing::{PLAN_TAKEN, PRICING_RULE_TAKEN, PricingRepository},
    platform::audit_log::AuditLog,
    shared::{clock::Clock, store::StoreError},
};

use crate::{Error, Reason, money::prices::Prices};

/// An active price exists for the same organization, channel and country.
pub const PRICING_RULE_EXISTS: Reason = Reason::new(
    "PRICING_RULE_EXISTS",
    "there is an active price for this organization, channel and country: change that one",
);
/// An active plan of the same name exists.
pub const PLAN_EXISTS: Reason =
    Reason::new("PLAN_EXISTS", "there is an active plan of this name: change that one");

/// Operations on prices and plans.
#[derive(Clone, Constructor)]
pub struct Pricing {
    repository: Arc<dyn PricingRepository>,
    organizations: Arc<dyn OrganizationRepository>,
    audit_log: Arc<dyn AuditLog>,
    /// Cache that messages use.
    prices: Prices,
    clock: Arc<dyn Clock>,
}

impl Pricing {
    /// Returns a page of rules, newest first.
    pub async fn rules(
        &self,
        _: &Administrator,
        filter: &PricingFilter,
        page: Page,
    ) -> Result<Paged<Version<PricingRule>>, Error> {
        Ok(self.repository.rules_page(filter, page).await?)
    }

    /// Returns a rule, active or ended.
    pub async fn rule(
        &self,
        _: &Administrator,
        id: Id<PricingRule>,
    ) -> Result<Version<PricingRule>, Error> {
        self.repository.find_rule(id).await?.ok_or(Error::NotFound("pricing rule"))
    }

    /// Creates a price for messages accepted from now on. `faults` holds the faults found so far.
    pub async fn create_rule(
        &self,
        admin: &Administrator,
        request: PricingRuleRequest,
        mut faults: Faults,
    ) -> Result<Version<PricingRule>, Error> {
        if let Some(organization) = request.organization
            && !self.is_tenant(organization).await?
        {
            faults.add("organizationId", "is not an organization");
        }
        let now = self.clock.now();
        let rule = faults.check(request.rule(now))?;
        let entry = self.rule_entry(admin, AuditAction::PricingRuleCreated, &rule, true);
        self.audit_log.record(&entry).await?;
        self.repository.begin_rule(&rule, None, now).await.map_err(taken)?;
        self.refresh_prices().await;
        Ok(Version::begin(rule, now))
    }

    /// Changes or ends a price for messages accepted from now on. A changed price is a new rule.
    /// `faults` holds the faults found so far.
    pub async fn update_rule(
        &self,
        admin: &Administrator,
        id: Id<PricingRule>,
        update: PricingRuleUpdate,
        mut faults: Faults,
    ) -> Result<Version<PricingRule>, Error> {
        faults.merge_new("", update.faults());
        faults.or(())?;
        let present = self.rule(admin, id).await?;
        let now = self.clock.now();
        let (replaced, action) =
            (present.is_active().then_some(id), AuditAction::PricingRuleUpdated);
        let (changed, is_done) = match present.change(update, now)? {
            PricingChange::Nothing => return Ok(present),
            PricingChange::End => {
                let entry = self.rule_entry(admin, action, &present.value, false);
                self.audit_log.record(&entry).await?;
                let is_done = self.repository.end_rule(id, now).await?;
                (Version { ended_at: Some(now), ..present }, is_done)
            }
            PricingChange::Replace(rule) => {
                let entry = self.rule_entry(admin, action, &rule, true);
                self.audit_log.record(&entry).await?;
                let begun = self.repository.begin_rule(&rule, replaced, now).await;
                (Version::begin(rule, now), begun.map_err(taken)?)
            }
        };
        // A concurrent change was first.
        if !is_done {
            return Err(ChangeRefused::Ended.into());
        }
        self.refresh_prices().await;
        Ok(changed)
    }

    /// Returns a page of plans, newest first.
    pub async fn plans(
        &self,
        _: &Administrator,
        is_active: Option<bool>,
        page: Page,
    ) -> Result<Paged<Version<Plan>>, Error> {
        Ok(self.repository.plans_page(is_active, page).await?)
    }

    /// Returns a plan, active or ended.
    pub async fn plan(&self, _: &Administrator, id: Id<Plan>) -> Result<Version<Plan>, Error> {
        self.repository.find_plan(id).await?.ok_or(Error::NotFound("plan"))
    }

    /// Creates a plan. `faults` holds the faults found so far.
    pub async fn create_plan(
        &self,
        admin: &Administrator,
        request: PlanRequest,
        faults: Faults,
    ) -> Result<Version<Plan>, Error> {
        let now = self.clock.now();
        let plan = faults.check(request.plan(now))?;
        let entry = self.plan_entry(admin, AuditAction::PlanCreated, &plan, true);
        self.audit_log.record(&entry).await?;
        self.repository.begin_plan(&plan, None, now).await.map_err(taken)?;
        Ok(Version::begin(plan, now))
    }

    /// Changes or ends a plan. A changed plan is a new one. `faults` holds the faults found so far.
    pub async fn update_plan(
        &self,
        admin: &Administrator,
        id: Id<Plan>,
        update: PlanRequest,
        mut faults: Faults,
    ) -> Result<Version<Plan>, Error> {
        faults.merge_new("", update.faults());
        faults.or(())?;
        let present = self.plan(admin, id).await?;
        let now = self.clock.now();
        let (replaced, action) = (present.is_active().then_some(id), AuditAction::PlanUpdated);
        let (changed, is_done) = match present.change(update, now)? {
            PricingChange::Nothing => return Ok(present),
            PricingChange::End => {
                let entry = self.plan_entry(admin, action, &present.value, false);
                self.audit_log.record(&entry).await?;
                let is_done = self.repository.end_plan(id, now).await?;
                (Version { ended_at: Some(now), ..present }, is_done)
            }
            PricingChange::Replace(plan) => {
                let entry = self.plan_entry(admin, action, &plan, true);
                self.audit_log.record(&entry).await?;
                let begun = self.repository.begin_plan(&plan, replaced, now).await;
                (Version::begin(plan, now), begun.map_err(taken)?)
            }
        };
        if is_done { Ok(changed) } else { Err(ChangeRefused::Ended.into()) }
    }

    async fn is_tenant(&self, organization: Id<Organization>) -> Result<bool, StoreError> {
        Ok(organization != PLATFORM && self.organizations.find(organization).await?.is_some())
    }

    /// Entry for the audit log of the organization that the price is for, or of the platform. It is
    /// written before the change: the log may contain a change that then failed, but never lacks one
    /// that was made.
    fn rule_entry(
        &self,
        admin: &Administrator,
        action: AuditAction,
        rule: &PricingRule,
        is_active: bool,
    ) -> AuditEntry {
        let (now, organization) = (self.clock.now(), rule.organization.unwrap_or(PLATFORM));
        let country = rule.country.as_ref().map_or_else(String::new, Country::to_string);
        let details = BTreeMap::from([
            ("channel", rule.channel.as_str().to_owned()),
            ("countryCode", country),
            ("unitPrice", rule.unit_price.to_string()),
            ("isActive", is_active.to_string()),
        ]);
        AuditEntry::of(organization, now, admin.actor(), action)
            .on("PRICING_RULE", rule.id.uuid())
            .with(details)
    }

    /// The same for a plan.
    fn plan_entry(
        &self,
        admin: &Administrator,
        action: AuditAction,
        plan: &Plan,
        is_active: bool,
    ) -> AuditEntry {
        let details = BTreeMap::from([
            ("name", plan.name.clone()),
            ("monthlyFee", plan.monthly_fee.to_string()),
            ("includedMessages", plan.included_messages.to_string()),
            ("isActive", is_active.to_string()),
        ]);
        AuditEntry::of(PLATFORM, self.clock.now(), admin.actor(), action)
            .on("PLAN", plan.id.uuid())
            .with(details)
    }

    /// Refreshes the cached prices. An instance that misses the broadcast finds the change within a
    /// second.
    async fn refresh_prices(&self) {
        if let Err(error) = self.prices.changed().await {
            tracing::warn!(%error, "failed to read the prices after a change");
        }
    }
}

/// Maps a uniqueness conflict to its refusal.
fn taken(error: StoreError) -> Error {
    match error {
        StoreError::Conflict { constraint } if constraint == PRICING_RULE_TAKEN => {
            Error::Conflict(PRICING_RULE_EXISTS)
        }
        StoreError::Conflict { constraint } if constraint == PLAN_TAKEN => {
            Error::Conflict(PLAN_EXISTS)
        }
        error => error.into(),
    }
}

impl From<ChangeRefused> for Error {
    fn from(refused: ChangeRefused) -> Self {
        let code = match refused {
            ChangeRefused::Ended => "PRICING_ENDED",
            ChangeRefused::General => "GENERAL_PRICE_NEEDED",
        };
        Self::Conflict(Reason::with_message(code, refused.to_string()))
    }
}

#[cfg(test)]
mod tests;
