//! Prices of messages.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     money::pricing::{PriceList, PricingRule},
//!     shared::{channel::Channel, country::Country, id::Id, money::Money},
//! };
//!
//! let rule = PricingRule {
//!     id: Id::new(DateTime::UNIX_EPOCH),
//!     organization: None,
//!     channel: Channel::Sms,
//!     country: None,
//!     unit_price: Money::from_micros(35_000),
//! };
//! let list = PriceList::new(1, [rule]);
//! let shop = Id::new(DateTime::UNIX_EPOCH);
//! let price = list.price(shop, Channel::Sms, Country::GH, 2);
//! assert_eq!(price, Some(Money::from_micros(70_000)));
//! ```

mod list;
mod plan;
mod rule;

use chrono::{DateTime, Utc};

pub use self::{
    list::PriceList,
    plan::{MAX_FEATURE, MAX_FEATURES, MAX_FEE, PlanRequest},
    rule::{MAX_UNIT_PRICE, PricingRuleRequest, PricingRuleUpdate},
};
use crate::{
    identity::organization::Organization,
    shared::{
        channel::Channel,
        country::Country,
        id::{Id, Unowned},
        money::Money,
    },
};

/// A price for one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricingRule {
    /// Identifier of the rule.
    pub id: Id<PricingRule>,
    /// Organization that it was agreed with; `None` for all.
    pub organization: Option<Id<Organization>>,
    /// Channel that the price is for.
    pub channel: Channel,
    /// Country of the recipient; `None` for any.
    pub country: Option<Country>,
    /// Price of one segment.
    pub unit_price: Money,
}

/// All rules are stored together, including those of one organization.
impl Unowned for PricingRule {}

/// A subscription plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Identifier of the plan.
    pub id: Id<Plan>,
    /// Name for people.
    pub name: String,
    /// Monthly fee.
    pub monthly_fee: Money,
    /// Number of messages included in a month.
    pub included_messages: i32,
    /// Further benefits, in words.
    pub features: Vec<String>,
}

impl Unowned for Plan {}

/// Filter for listed rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PricingFilter {
    /// Only rules of this organization.
    pub organization: Option<Id<Organization>>,
    /// Only rules of this channel.
    pub channel: Option<Channel>,
    /// Only active rules, or only ended ones.
    pub is_active: Option<bool>,
}

/// A price or plan as it applied for some time. A change ends the version and begins another, so
/// that the history is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version<T> {
    /// Price or plan of this version.
    pub value: T,
    /// Time from which it applies.
    pub created_at: DateTime<Utc>,
    /// Time at which it ended; `None` while it is active.
    pub ended_at: Option<DateTime<Utc>>,
}

impl<T> Version<T> {
    /// Returns a version that applies from `now` on.
    pub const fn begin(value: T, now: DateTime<Utc>) -> Self {
        Self { value, created_at: now, ended_at: None }
    }

    /// True if it still applies.
    pub const fn is_active(&self) -> bool {
        self.ended_at.is_none()
    }
}

/// Effect of a change on the active version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PricingChange<T> {
    /// Nothing changes.
    Nothing,
    /// The active version ends without a successor.
    End,
    /// This replaces the active version, if any.
    Replace(T),
}

/// Reason for which a price or plan is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// It has ended.
    #[error("it has ended, and can only be made active again")]
    Ended,
    /// The price for all organizations and countries cannot be ended: without it, numbers of
    /// countries without a rule have no price.
    #[error(
        "the price of a channel for all organizations and countries can be changed, but not ended"
    )]
    General,
}
