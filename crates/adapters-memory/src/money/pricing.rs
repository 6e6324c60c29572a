//! Prices and plans.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    money::pricing::{Plan, PriceList, PricingFilter, PricingRule, Version},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    money::pricing::{PLAN_TAKEN, PRICING_RULE_TAKEN, PricingRepository},
    shared::store::StoreError,
};

use crate::shared::{state::Begun, store::MemoryStore};

#[async_trait]
impl PricingRepository for MemoryStore {
    async fn price_list(&self) -> Result<PriceList, StoreError> {
        let state = self.state();
        Ok(PriceList::new(state.prices.changes(), state.prices.active().cloned()))
    }

    async fn plans(&self) -> Result<Vec<Plan>, StoreError> {
        let mut plans: Vec<_> = self.state().plans.active().cloned().collect();
        plans.sort_by(|one, other| {
            (one.monthly_fee, &one.name).cmp(&(other.monthly_fee, &other.name))
        });
        Ok(plans)
    }

    async fn rules_page(
        &self,
        filter: &PricingFilter,
        page: Page,
    ) -> Result<Paged<Version<PricingRule>>, StoreError> {
        let state = self.state();
        let mut rules = state.prices.newest_first();
        rules.retain(|it| {
            let rule = &it.value;
            filter.organization.is_none_or(|wanted| rule.organization == Some(wanted))
                && filter.channel.is_none_or(|wanted| rule.channel == wanted)
                && filter.is_active.is_none_or(|wanted| it.is_active() == wanted)
        });
        Ok(paged(rules, page))
    }

    async fn find_rule(
        &self,
        id: Id<PricingRule>,
    ) -> Result<Option<Version<PricingRule>>, StoreError> {
        Ok(self.state().prices.find(id).cloned())
    }

    async fn begin_rule(
        &self,
        rule: &PricingRule,
        replaced: Option<Id<PricingRule>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        begun(&self.state().prices.begin(rule, replaced, now), PRICING_RULE_TAKEN)
    }

    async fn end_rule(&self, id: Id<PricingRule>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        Ok(self.state().prices.end(id, now))
    }

    async fn plans_page(
        &self,
        is_active: Option<bool>,
        page: Page,
    ) -> Result<Paged<Version<Plan>>, StoreError> {
        let state = self.state();
        let mut plans = state.plans.newest_first();
        plans.retain(|it| is_active.is_none_or(|wanted| it.is_active() == wanted));
        Ok(paged(plans, page))
    }

    async fn find_plan(&self, id: Id<Plan>) -> Result<Option<Version<Plan>>, StoreError> {
        Ok(self.state().plans.find(id).cloned())
    }

    async fn begin_plan(
        &self,
        plan: &Plan,
        replaced: Option<Id<Plan>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        begun(&self.state().plans.begin(plan, replaced, now), PLAN_TAKEN)
    }

    async fn end_plan(&self, id: Id<Plan>, now: DateTime<Utc>) -> Result<bool, StoreError> {
        Ok(self.state().plans.end(id, now))
    }
}

fn begun(begun: &Begun, constraint: &str) -> Result<bool, StoreError> {
    match begun {
        Begun::Done => Ok(true),
        Begun::NotActive => Ok(false),
        Begun::Taken => Err(StoreError::Conflict { constraint: constraint.to_owned() }),
    }
}

fn paged<T: Clone>(all: Vec<&Version<T>>, page: Page) -> Paged<Version<T>> {
    let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
    Paged::counted(page.cut(all).into_iter().cloned().collect(), page, total)
}
