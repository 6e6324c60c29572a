//! Prices and plans, as platform administrators see them.

use domain::{
    money::pricing::{Plan, PricingRule, Version},
    shared::{country::Country, id::Id, money::CURRENCY},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::formats::{ChannelName, Timestamp};

/// Price for one segment of a message, with its period of validity.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminPricingRule)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdminPricingRuleView {
    id: Uuid,
    /// Organization with which it is agreed; null for all.
    organization_id: Option<Uuid>,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// The recipients' country; null for any, `001` for numbers of none.
    #[schema(example = "NG")]
    country_code: Option<String>,
    /// The price of one segment.
    #[schema(example = 0.045)]
    unit_price: f64,
    /// The currency of the price.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// True if it is in force.
    is_active: bool,
    /// Time from which it applies.
    created_at: Timestamp,
    /// Time until which it applied.
    ended_at: Option<Timestamp>,
}

/// Subscription, with its period of availability.
#[derive(Serialize, ToSchema)]
#[schema(as = AdminPlan)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdminPlanView {
    id: Uuid,
    #[schema(example = "Growth")]
    name: String,
    /// Monthly fee.
    #[schema(example = 250.0)]
    monthly_fee: f64,
    /// The currency of the fee.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Number of messages included in a month.
    #[schema(example = 10_000)]
    included_messages: i32,
    /// Further features.
    #[schema(example = json!(["Campaigns"]))]
    features: Vec<String>,
    /// True if it can be booked.
    is_active: bool,
    created_at: Timestamp,
    /// Time until which it could be booked.
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
