//! What messages cost.

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
    /// Which rule this is.
    pub id: Id<PricingRule>,
    /// The organization it was agreed with; `None` is all.
    pub organization: Option<Id<Organization>>,
    /// The channel.
    pub channel: Channel,
    /// The recipient's country; `None` is any.
    pub country: Option<Country>,
    /// The price of one segment.
    pub unit_price: Money,
}

/// Rules are kept together, those of one organization too.
impl Unowned for PricingRule {}

/// A subscription that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which plan this is.
    pub id: Id<Plan>,
    /// Its name.
    pub name: String,
    /// What it costs a month.
    pub monthly_fee: Money,
    /// How many messages a month it includes.
    pub included_messages: i32,
    /// What else it includes, in words.
    pub features: Vec<String>,
}

impl Unowned for Plan {}

/// Which rules are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PricingFilter {
    /// Those that were agreed with that organization.
    pub organization: Option<Id<Organization>>,
    /// Those of that channel.
    pub channel: Option<Channel>,
    /// Those that hold, or hold no longer.
    pub is_active: Option<bool>,
}

/// A price, or a plan, as it was from one time to another. What changes is ended, and another one takes
/// its place: so it is known what held when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version<T> {
    /// What it says.
    pub value: T,
    /// Since when it holds.
    pub created_at: DateTime<Utc>,
    /// Until when it held; one that is active has no end.
    pub ended_at: Option<DateTime<Utc>>,
}

impl<T> Version<T> {
    /// What holds from now on.
    pub const fn begin(value: T, now: DateTime<Utc>) -> Self {
        Self { value, created_at: now, ended_at: None }
    }

    /// Whether it holds.
    pub const fn is_active(&self) -> bool {
        self.ended_at.is_none()
    }
}

/// What a change comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PricingChange<T> {
    /// It says what holds already.
    Nothing,
    /// What holds is ended, and nothing takes its place.
    End,
    /// This takes the place of what held, if anything did.
    Replace(T),
}

/// Why a price or a plan is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// It holds no longer.
    #[error("it has ended, and can only be made active again")]
    Ended,
    /// Without it numbers of countries that are not named would have no price.
    #[error(
        "the price of a channel for all organizations and countries can be changed, but not ended"
    )]
    General,
}
