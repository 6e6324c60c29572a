//! Prices and plans.
//!
//! ```
//! use domain::money::pricing::PricingRule;
//! use ports::{money::pricing::PricingRepository, shared::store::StoreError};
//!
//! async fn general(pricing: &dyn PricingRepository) -> Result<Vec<PricingRule>, StoreError> {
//!     Ok(pricing.price_list().await?.general().to_vec())
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    money::pricing::{Plan, PriceList, PricingFilter, PricingRule, Version},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Name of the constraint that allows one active rule per organization, channel and country.
pub const PRICING_RULE_TAKEN: &str = "pricing_rules_one_each";
/// Name of the constraint that allows one active plan per name.
pub const PLAN_TAKEN: &str = "plans_one_each";

/// Stores prices and plans.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PricingRepository: Send + Sync {
    /// Returns all active rules of all organizations. The version of the list grows with each change.
    async fn price_list(&self) -> Result<PriceList, StoreError>;

    /// Returns all active plans, cheapest first.
    async fn plans(&self) -> Result<Vec<Plan>, StoreError>;

    /// Returns a page of rules, newest first.
    async fn rules_page(
        &self,
        filter: &PricingFilter,
        page: Page,
    ) -> Result<Paged<Version<PricingRule>>, StoreError>;

    /// Finds a rule, active or ended.
    async fn find_rule(
        &self,
        id: Id<PricingRule>,
    ) -> Result<Option<Version<PricingRule>>, StoreError>;

    /// Activates a rule from `now` on. Fails with a conflict over [`PRICING_RULE_TAKEN`] if another rule is
    /// active for the same organization, channel and country. The rule replaces `replaced`; returns false,
    /// and changes nothing, if that one is no longer active.
    async fn begin_rule(
        &self,
        rule: &PricingRule,
        replaced: Option<Id<PricingRule>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a rule. Returns false if it has ended before.
    async fn end_rule(&self, id: Id<PricingRule>, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Returns a page of plans, newest first: active ones, ended ones, or all for `None`.
    async fn plans_page(
        &self,
        is_active: Option<bool>,
        page: Page,
    ) -> Result<Paged<Version<Plan>>, StoreError>;

    /// Finds a plan, active or ended.
    async fn find_plan(&self, id: Id<Plan>) -> Result<Option<Version<Plan>>, StoreError>;

    /// Activates a plan from `now` on, like [`begin_rule`](Self::begin_rule). Fails with a conflict over
    /// [`PLAN_TAKEN`] if another active plan has the name.
    async fn begin_plan(
        &self,
        plan: &Plan,
        replaced: Option<Id<Plan>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a plan. Returns false if it has ended before.
    async fn end_plan(&self, id: Id<Plan>, now: DateTime<Utc>) -> Result<bool, StoreError>;
}
