//! What limits an organization, and what it has used of that.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    identity::{
        caller::Caller,
        organization::{Holdings, OwnLimits, Usage},
        permission::Permission,
    },
    money::funds::Allowance,
    shared::money::Money,
};
use ports::{platform::organization_limits::UsageRepository, shared::clock::Clock};

use crate::{
    Error,
    messaging::messages::Messages,
    platform::limits::{Limits, OrganizationStandings, Standing},
};

/// What limits organizations.
#[derive(Clone)]
pub struct OrganizationLimits {
    usage: Arc<dyn UsageRepository>,
    limits: Limits,
    messages: Messages,
    limits_velocity: bool,
    clock: Arc<dyn Clock>,
}

/// The limits of an organization, and what it has used of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitsOverview {
    /// How its buckets stand; none if nothing is counted.
    pub standings: Option<OrganizationStandings>,
    /// Which of them are its own.
    pub own: OwnLimits,
    /// How many urgent messages still go before others, for the instance that was asked.
    pub urgent_left: u32,
    /// How much it lets itself spend in a day.
    pub daily_limit: Option<Money>,
    /// What it spent today.
    pub spent_today: Money,
    /// When the day is over.
    pub resets_at: DateTime<Utc>,
    /// How many messages go to a block of a thousand numbers within an hour; none if that is not limited.
    pub per_number_block: Option<u32>,
    /// Whether the organization has decided that itself.
    pub has_own_velocity_limit: bool,
    /// What else it has used.
    pub usage: Usage,
    /// The amounts that it keeps.
    pub holdings: Holdings,
    /// The number of texts that a language model writes for it in a day; none if that is not counted.
    pub content: Option<Standing>,
}

impl OrganizationLimits {
    /// Limits as `limits` and `messages` count, and `usage` keeps them. `limits_velocity` says whether the
    /// number of messages to the same phone numbers is limited.
    pub fn new(
        usage: Arc<dyn UsageRepository>,
        limits: Limits,
        messages: Messages,
        limits_velocity: bool,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { usage, limits, messages, limits_velocity, clock }
    }

    /// The limits of the caller's organization.
    pub async fn overview(&self, caller: &Caller) -> Result<LimitsOverview, Error> {
        caller.authorize(Permission::ReadLimits)?;
        let now = self.clock.now();
        let settings = &caller.policy.settings;
        let usage = self.usage.usage(caller.organization).await?;
        let holdings = self.usage.holdings(caller.organization).await?;
        let daily_limit = settings.spending.daily_limit;
        let limit = daily_limit.unwrap_or(Money::ZERO);
        let today = Allowance::at(now, limit, usage.spent_on, usage.spent);
        Ok(LimitsOverview {
            standings: self.limits.standings(caller).await,
            own: settings.limits,
            urgent_left: self.messages.urgent_left(caller.organization, now),
            daily_limit,
            spent_today: today.spent,
            resets_at: today.resets_at,
            per_number_block: self.limits_velocity.then(|| settings.traffic.per_block()),
            has_own_velocity_limit: settings.traffic.velocity_limit.is_some(),
            usage,
            holdings,
            content: self.limits.content_standing(caller.organization, holdings.has_paid).await,
        })
    }
}
