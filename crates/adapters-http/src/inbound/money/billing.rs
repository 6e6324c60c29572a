//! `/billing`

use actix_web::web::Data;
use domain::{
    money::{
        pricing::{Plan, PricingRule},
        wallet::Wallet,
    },
    shared::{country::Country, money::CURRENCY},
};
use serde::Serialize;
use usecases::money::billing::Tariff;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    money::usage,
    shared::{
        answers::Answer,
        caller::Member,
        endpoint::{Area, get},
        error::ApiError,
        formats::{ChannelName, Timestamp},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Billing",
        about: "Wallets and prices.",
        endpoints: vec![
            get("/billing/wallet", "getWallet", wallet)
                .summary("Get the balance of the wallet.")
                .answers("The balance."),
            get("/billing/pricing", "getPricing", pricing)
                .summary("List active pricing rules and plans.")
                .answers("Rules and plans."),
            usage::endpoint(),
        ],
    }
}

/// Wallet of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Wallet)]
#[serde(rename_all = "camelCase")]
struct WalletView {
    /// Current balance.
    #[schema(example = 9.93)]
    balance: f64,
    /// The currency of the balance.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Time at which it last changed.
    updated_at: Timestamp,
}

/// Prices and plans of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Tariff)]
struct TariffView {
    /// Prices. The most specific one applies.
    rules: Vec<PricingRuleView>,
    /// Plans on offer. They are only shown and cannot be booked yet.
    plans: Vec<PlanView>,
}

/// A price for one segment of a message.
#[derive(Serialize, ToSchema)]
#[schema(as = PricingRule)]
#[serde(rename_all = "camelCase")]
struct PricingRuleView {
    id: Uuid,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// The recipient's country; null for any, `001` for numbers of none.
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
#[schema(as = Plan)]
#[serde(rename_all = "camelCase")]
struct PlanView {
    id: Uuid,
    #[schema(example = "Starter")]
    name: String,
    /// Monthly fee.
    monthly_fee: f64,
    /// The currency of the fee.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Number of messages included in a month.
    included_messages: i32,
    /// Further features.
    #[schema(example = json!(["5 members"]))]
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

async fn wallet(Member(caller): Member, api: Data<Api>) -> Result<Answer<WalletView>, ApiError> {
    Ok(Answer::new(api.billing.wallet(&caller).await?))
}

async fn pricing(Member(caller): Member, api: Data<Api>) -> Result<Answer<TariffView>, ApiError> {
    Ok(Answer::new(api.billing.pricing(&caller).await?))
}
