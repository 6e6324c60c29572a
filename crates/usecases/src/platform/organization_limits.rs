//! Limits of an organization, and their usage.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use derive_more::Constructor;
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
    shared::limits::{Limits, OrganizationRateLimits, RateLimitStatus},
};

/// Operations on the limits of organizations.
#[derive(Clone, Constructor)]
pub struct OrganizationLimits {
    usage: Arc<dyn UsageRepository>,
    limits: Limits,
    messages: Messages,
    /// True if the number of messages to the same phone numbers is limited.
    limits_velocity: bool,
    clock: Arc<dyn Clock>,
}

/// Limits of an organization, and their usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitsOverview {
    /// State of its buckets; `None` if requests are not counted.
    pub rate_limits: Option<OrganizationRateLimits>,
    /// Its own limits, which replace those of the installation.
    pub own: OwnLimits,
    /// Number of urgent messages that this instance still sends before others.
    pub urgent_left: u32,
    /// Its daily spending limit; `None` if it has none.
    pub daily_limit: Option<Money>,
    /// Amount spent today.
    pub spent_today: Money,
    /// Time at which the day ends.
    pub resets_at: DateTime<Utc>,
    /// Maximum number of messages per hour to a block of a thousand numbers; `None` if not limited.
    pub per_number_block: Option<u32>,
    /// True if `per_number_block` is the organization's own setting.
    pub has_own_velocity_limit: bool,
    /// Usage of its other limits.
    pub usage: Usage,
    /// Amounts that it stores.
    pub holdings: Holdings,
    /// Daily bucket of texts by a language model; `None` if requests are not counted.
    pub content: Option<RateLimitStatus>,
}

impl OrganizationLimits {
    /// Returns the limits of the caller's organization and their usage.
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
            rate_limits: self.limits.rate_limits(caller).await,
            own: settings.limits,
            urgent_left: self.messages.urgent_left(caller.organization, now),
            daily_limit,
            spent_today: today.spent,
            resets_at: today.resets_at,
            per_number_block: self.limits_velocity.then(|| settings.traffic.per_block()),
            has_own_velocity_limit: settings.traffic.velocity_limit.is_some(),
            usage,
            holdings,
            content: self.limits.content_rate_limit(caller.organization, holdings.has_paid).await,
        })
    }
}
