//! `/billing`

use actix_web::{HttpResponse, get, web::Data};
use domain::{
    country::Country,
    money::CURRENCY,
    pricing::{Plan, PricingRule},
    wallet::Wallet,
};
use serde::Serialize;
use usecases::billing::Tariff;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;
use uuid::Uuid;

use super::{
    Api,
    caller::Member,
    envelope::{self, Success},
    error::Failure,
    wire::{ChannelName, Timestamp},
};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(get_wallet).service(get_pricing);
}

/// What an organization has to spend.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WalletView {
    /// What is left.
    #[schema(example = 9.93)]
    balance: f64,
    /// The currency of the balance.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// When it last changed.
    updated_at: Timestamp,
}

/// What an organization may pay, and for what.
#[derive(Serialize, ToSchema)]
struct TariffView {
    /// The prices. The most specific one holds.
    rules: Vec<PricingRuleView>,
    /// The plans that can be booked.
    plans: Vec<PlanView>,
}

/// A price for one segment of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PricingRuleView {
    id: Uuid,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// The recipient's country; null is any, and `001` numbers of none.
    #[schema(example = "GH")]
    country_code: Option<String>,
    /// The price of one segment.
    #[schema(example = 0.035)]
    unit_price: f64,
    /// The currency of the price.
    #[schema(example = "GHS")]
    currency: &'static str,
}

/// A subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlanView {
    id: Uuid,
    name: String,
    /// What it costs a month.
    monthly_fee: f64,
    /// The currency of the fee.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// How many messages a month it includes.
    included_messages: i32,
    /// What else it includes.
    features: Vec<String>,
}

impl From<Wallet> for WalletView {
    fn from(wallet: Wallet) -> Self {
        Self {
            balance: wallet.balance.to_number(),
            currency: CURRENCY,
            updated_at: wallet.updated_at.into(),
        }
    }
}

impl From<PricingRule> for PricingRuleView {
    fn from(rule: PricingRule) -> Self {
        Self {
            id: rule.id.uuid(),
            channel: rule.channel.as_str(),
            country_code: rule.country.as_ref().map(Country::to_string),
            unit_price: rule.unit_price.to_number(),
            currency: CURRENCY,
        }
    }
}

impl From<Plan> for PlanView {
    fn from(plan: Plan) -> Self {
        Self {
            id: plan.id.uuid(),
            name: plan.name,
            monthly_fee: plan.monthly_fee.to_number(),
            currency: CURRENCY,
            included_messages: plan.included_messages,
            features: plan.features,
        }
    }
}

impl From<Tariff> for TariffView {
    fn from(tariff: Tariff) -> Self {
        Self {
            rules: tariff.rules.into_iter().map(PricingRuleView::from).collect(),
            plans: tariff.plans.into_iter().map(PlanView::from).collect(),
        }
    }
}

/// What is left in the wallet.
#[utoipa::path(
    operation_id = "getWallet",
    tag = "Billing",
    params(Member),
    security(("bearer" = [])),
    responses((status = 200, description = "The balance.", body = Success<WalletView>)),
)]
#[get("/billing/wallet")]
async fn get_wallet(Member(caller): Member, api: Data<Api>) -> Result<HttpResponse, Failure> {
    Ok(envelope::ok(WalletView::from(api.billing.wallet(&caller).await?)))
}

/// Active pricing rules and plans.
#[utoipa::path(
    operation_id = "getPricing",
    tag = "Billing",
    params(Member),
    security(("bearer" = [])),
    responses((status = 200, description = "Rules and plans.", body = Success<TariffView>)),
)]
#[get("/billing/pricing")]
async fn get_pricing(Member(caller): Member, api: Data<Api>) -> Result<HttpResponse, Failure> {
    Ok(envelope::ok(TariffView::from(api.billing.pricing(&caller).await?)))
}
