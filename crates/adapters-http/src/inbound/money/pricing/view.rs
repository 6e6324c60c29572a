//! Prices and plans, as platform administrators see them.

use domain::{
    money::pricing::{Plan, PricingRule, Version},
    shared::{country::Country, id::Id, money::CURRENCY},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::formats::{ChannelName, Timestamp};

/// A price for one segment of a message, and when it holds.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminPricingRule)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdminPricingRuleView {
    id: Uuid,
    /// With whom it is agreed; null is all organizations.
    organization_id: Option<Uuid>,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// The recipients' country; null is any, and `001` numbers of none.
    #[schema(example = "NG")]
    country_code: Option<String>,
    /// The price of one segment.
    #[schema(example = 0.045)]
    unit_price: f64,
    /// The currency of the price.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Whether it holds.
    is_active: bool,
    /// Since when it holds.
    created_at: Timestamp,
    /// Until when it held.
    ended_at: Option<Timestamp>,
}

/// A subscription, and when it can be booked.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminPlan)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdminPlanView {
    id: Uuid,
    #[schema(example = "Growth")]
    name: String,
    /// What it costs a month.
    #[schema(example = 250.0)]
    monthly_fee: f64,
    /// The currency of the fee.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// How many messages a month it includes.
    #[schema(example = 10_000)]
    included_messages: i32,
    /// What else it includes.
    #[schema(example = json!(["Campaigns"]))]
    features: Vec<String>,
    /// Whether it can be booked.
    is_active: bool,
    created_at: Timestamp,
    /// Until when it could be booked.
    ended_at: Option<Timestamp>,
}

impl From<Version<PricingRule>> for AdminPricingRuleView {
    fn from(version: Version<PricingRule>) -> Self {
        let is_active = version.is_active();
        let rule = version.value;
        Self {
            id: rule.id.uuid(),
            organization_id: rule.organization.map(Id::uuid),
            channel: rule.channel.as_str(),
            country_code: rule.country.as_ref().map(Country::to_string),
            unit_price: rule.unit_price.to_number(),
            currency: CURRENCY,
            is_active,
            created_at: version.created_at.into(),
            ended_at: version.ended_at.map(Timestamp::from),
        }
    }
}

impl From<Version<Plan>> for AdminPlanView {
    fn from(version: Version<Plan>) -> Self {
        let is_active = version.is_active();
        let plan = version.value;
        Self {
            id: plan.id.uuid(),
            name: plan.name,
            monthly_fee: plan.monthly_fee.to_number(),
            currency: CURRENCY,
            included_messages: plan.included_messages,
            features: plan.features,
            is_active,
            created_at: version.created_at.into(),
            ended_at: version.ended_at.map(Timestamp::from),
        }
    }
}
