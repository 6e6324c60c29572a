//! `/admin/pricing`

use actix_web::web::Data;
use domain::{
    money::pricing::{
        ChangeRefused, Plan, PlanRequest, PricingFilter, PricingRule, PricingRuleRequest,
        PricingRuleUpdate,
    },
    shared::page::Page,
};
use serde_json::{Value, json};
use usecases::{
    Error,
    money::pricing::{PLAN_EXISTS, PRICING_RULE_EXISTS},
};

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        endpoint::{Area, get, patch, post_once},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{FromQuery, Parameters, Query},
    },
};

mod view;

use view::{AdminPlanView, AdminPricingRuleView};

const CHANGED: &str = "The changed one ends and stays in the list; a new one with its own `id` \
     replaces it. The change is recorded in the audit log.";

pub(super) fn area() -> Area {
    Area {
        name: "Pricing",
        about: "Prices and plans, for platform administrators.",
        endpoints: vec![
            get("/admin/pricing", "listPricingRules", rules)
                .extension()
                .summary("List prices.")
                .description(
                    "For platform administrators. Newest first, including those that ended.",
                )
                .answers("The prices."),
            post_once("/admin/pricing", "createPricingRule", create_rule)
                .extension()
                .summary("Create a price.")
                .description(
                    "For platform administrators. The price applies to messages accepted from then \
                     on, on every instance within a second. A price of an organization's own takes \
                     precedence over one for all, then one that names the country. The change is \
                     recorded in the audit log.",
                )
                .answers("The price.")
                .refuses(Error::Conflict(PRICING_RULE_EXISTS)),
            patch("/admin/pricing/{id}", "updatePricingRule", update_rule)
                .extension()
                .summary("Change a price, or end it.")
                .description(CHANGED)
                .answers("The changed price.")
                .refuses(ChangeRefused::Ended)
                .refuses(ChangeRefused::General)
                .refuses(Error::Conflict(PRICING_RULE_EXISTS)),
            get("/admin/pricing/plans", "listPlans", plans)
                .extension()
                .summary("List plans.")
                .description(
                    "For platform administrators. Newest first, including those that ended.",
                )
                .answers("The plans."),
            post_once("/admin/pricing/plans", "createPlan", create_plan)
                .extension()
                .summary("Create a plan.")
                .description(
                    "For platform administrators. The change is recorded in the audit log.",
                )
                .answers("The plan.")
                .refuses(Error::Conflict(PLAN_EXISTS)),
            patch("/admin/pricing/plans/{id}", "updatePlan", update_plan)
                .extension()
                .summary("Change a plan, or end it.")
                .description(CHANGED)
                .answers("The changed plan.")
                .refuses(ChangeRefused::Ended)
                .refuses(Error::Conflict(PLAN_EXISTS)),
        ],
    }
}

impl Identified for PricingRule {
    const NAME: &'static str = "pricing rule";
}

impl Identified for Plan {
    const NAME: &'static str = "plan";
}

const ACTIVE: &str = "Only prices in force, or only prices that ended.";

impl FromQuery for (PricingFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let filter = PricingFilter {
            organization: parameters
                .optional("organizationId", "Only prices agreed with this organization."),
            channel: parameters.optional("channel", "Only prices of this channel."),
            is_active: parameters.optional("isActive", ACTIVE),
        };
        Some((filter, parameters.short_page()?))
    }
}

impl FromQuery for (Option<bool>, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let is_active = parameters.optional("isActive", ACTIVE);
        Some((is_active, parameters.short_page()?))
    }
}

const UNIT_PRICE: Field = field("unitPrice")
    .about("The price of one segment in GHS, with at most six decimals.")
    .limits(&[("minimum", 0), ("maximum", 1_000)]);
const RULE_IS_ACTIVE: Field = field("isActive").about("True if it is in force.");
const NAME: Field = field("name").limits(&[("minLength", 1), ("maxLength", 100)]);
const MONTHLY_FEE: Field = field("monthlyFee")
    .about("The monthly fee in GHS.")
    .limits(&[("minimum", 0), ("maximum", 1_000_000)]);
const INCLUDED_MESSAGES: Field = field("includedMessages")
    .about("The number of messages included in a month.")
    .limits(&[("minimum", 0)]);
const FEATURES: Field =
    field("features").about("Further features, in words.").limits(&[("maxItems", 20)]);

impl FromFields for PricingRuleRequest {
    const NAME: &'static str = "CreatePricingRuleRequest";
    const ABOUT: &'static str = "A price for one segment of a message.";

    fn from_fields(fields: &mut Fields) -> Self {
        let organization = field("organizationId")
            .about("The organization with which it is agreed; all if absent.");
        let country = field("countryCode")
            .about("The recipients' country, `001` for numbers of none; all if absent.");
        Self {
            organization: fields.optional(organization),
            channel: fields.required(field("channel")),
            country: fields.optional(country),
            unit_price: fields.required(UNIT_PRICE),
        }
    }

    fn example() -> Value {
        json!({ "channel": "SMS", "countryCode": "NG", "unitPrice": 0.045 })
    }
}

impl FromFields for PricingRuleUpdate {
    const NAME: &'static str = "UpdatePricingRuleRequest";
    const ABOUT: &'static str = "Changes to a price. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { unit_price: fields.optional(UNIT_PRICE), is_active: fields.optional(RULE_IS_ACTIVE) }
    }

    fn example() -> Value {
        json!({ "unitPrice": 0.04 })
    }
}

impl FromFields for PlanRequest {
    const NAME: &'static str = "CreatePlanRequest";
    const ABOUT: &'static str = "A subscription.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.required(NAME),
            monthly_fee: fields.required(MONTHLY_FEE),
            included_messages: fields.required(INCLUDED_MESSAGES),
            features: fields.optional(FEATURES),
            is_active: None,
        }
    }

    fn example() -> Value {
        json!({
            "name": "Growth", "monthlyFee": 250, "includedMessages": 10_000,
            "features": ["Campaigns", "Segments"],
        })
    }
}

/// Changes of a plan.
struct PlanUpdate(PlanRequest);

impl FromFields for PlanUpdate {
    const NAME: &'static str = "UpdatePlanRequest";
    const ABOUT: &'static str = "Changes to a plan. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self(PlanRequest {
            name: fields.optional(NAME),
            monthly_fee: fields.optional(MONTHLY_FEE),
            included_messages: fields.optional(INCLUDED_MESSAGES),
            features: fields.optional(FEATURES),
            is_active: fields.optional(field("isActive").about("True if it can be booked.")),
        })
    }

    fn example() -> Value {
        json!({ "monthlyFee": 300 })
    }
}

async fn rules(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<(PricingFilter, Page)>,
) -> Result<Paginated<AdminPricingRuleView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::new(api.pricing.rules(&admin, &filter, page).await?))
}

async fn create_rule(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    body: Body<PricingRuleRequest>,
) -> Result<Created<AdminPricingRuleView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.pricing.create_rule(&admin, request, faults).await?))
}

async fn update_rule(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<PricingRule>,
    body: Body<PricingRuleUpdate>,
) -> Result<Answer<AdminPricingRuleView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.pricing.update_rule(&admin, id.or_unknown(), update, faults).await?))
}

async fn plans(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<(Option<bool>, Page)>,
) -> Result<Paginated<AdminPlanView>, ApiError> {
    let (is_active, page) = query.read()?;
    Ok(Paginated::new(api.pricing.plans(&admin, is_active, page).await?))
}

async fn create_plan(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    body: Body<PlanRequest>,
) -> Result<Created<AdminPlanView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.pricing.create_plan(&admin, request, faults).await?))
}

async fn update_plan(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Plan>,
    body: Body<PlanUpdate>,
) -> Result<Answer<AdminPlanView>, ApiError> {
    let (PlanUpdate(update), faults) = body.read_some()?;
    Ok(Answer::new(api.pricing.update_plan(&admin, id.or_unknown(), update, faults).await?))
}
