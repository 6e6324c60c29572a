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

use crate::shared::store::StoreError;

/// The constraint in the way of a second active rule for the same organization, channel and country.
pub const PRICING_RULE_TAKEN: &str = "pricing_rules_one_each";
/// The constraint in the way of a second active plan of the same name.
pub const PLAN_TAKEN: &str = "plans_one_each";

/// Keeps prices and plans.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PricingRepository: Send + Sync {
    /// All active rules, of all organizations.
    async fn price_list(&self) -> Result<PriceList, StoreError>;

    /// The version of the price list. It grows with each change.
    async fn version(&self) -> Result<i64, StoreError>;

    /// All active plans, cheapest first.
    async fn plans(&self) -> Result<Vec<Plan>, StoreError>;

    /// A page of rules, newest first.
    async fn rules_page(
        &self,
        filter: &PricingFilter,
        page: Page,
    ) -> Result<Paged<Version<PricingRule>>, StoreError>;

    /// A rule, whether or not it holds.
    async fn find_rule(
        &self,
        id: Id<PricingRule>,
    ) -> Result<Option<Version<PricingRule>>, StoreError>;

    /// Has a rule hold from `now` on. One that holds for the same is a conflict over
    /// [`PRICING_RULE_TAKEN`]. It takes the place of the rule `replaced`; false if that holds no longer,
    /// and nothing changes.
    async fn begin_rule(
        &self,
        rule: &PricingRule,
        replaced: Option<Id<PricingRule>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a rule; false if it has ended before.
    async fn end_rule(&self, id: Id<PricingRule>, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// A page of plans, newest first: of those that can be booked, or cannot any more, or of all.
    async fn plans_page(
        &self,
        is_active: Option<bool>,
        page: Page,
    ) -> Result<Paged<Version<Plan>>, StoreError>;

    /// A plan, whether or not it can be booked.
    async fn find_plan(&self, id: Id<Plan>) -> Result<Option<Version<Plan>>, StoreError>;

    /// Has a plan be booked from `now` on, like [`begin_rule`](Self::begin_rule). One of the same name
    /// is a conflict over [`PLAN_TAKEN`].
    async fn begin_plan(
        &self,
        plan: &Plan,
        replaced: Option<Id<Plan>>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends a plan; false if it has ended before.
    async fn end_plan(&self, id: Id<Plan>, now: DateTime<Utc>) -> Result<bool, StoreError>;
}
