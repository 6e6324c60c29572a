//! `/organizations/limits`

use actix_web::web::Data;
use domain::{
    audience::{
        import::{MAX_BYTES, MAX_ROWS, MAX_WAITING},
        segment::MAX_SEGMENTS,
    },
    content::sender_name::MAX_SENDER_NAMES,
    identity::organization::Holding,
    messaging::priority::UrgentAllowance,
    money::invoice::MAX_OPEN,
    outreach::{campaign::MAX_UNFINISHED, event::MAX_EVENTS},
    platform::fraud_guard::{PER_COUNTRY, TO_UNUSUAL_COUNTRIES},
    shared::money::{CURRENCY, Money},
    webhooks::webhook::MAX_ACTIVE_ENDPOINTS,
};
use serde::Serialize;
use usecases::{messaging::messages::MAX_BULK, platform::organization_limits::LimitsOverview};
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        body::MAX_BODY,
        caller::Member,
        endpoint::{Area, get},
        error::ApiError,
        formats::Timestamp,
        rate_view::RateView,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Limits",
        about: "Limits of an organization.",
        endpoints: vec![
            get("/organizations/limits", "getOrganizationLimits", show)
                .extension()
                .summary("Get the limits of the organization, with their usage.")
                .description(
                    "For owners and administrators. Platform administrators change `live`, \
                     `sandbox` and `requests`, and the sum that the organization may owe for \
                     invoices credited on issue, with `PATCH /admin/tenants/{id}`; the \
                     organization itself limits its spending and its `velocity` with `PATCH \
                     /organizations/current`. The limits on stored data and daily actions of an \
                     organization may increase with its first payment.",
                )
                .answers("The limits."),
        ],
    }
}

/// Limits of an organization, with their usage.
#[derive(Serialize, ToSchema)]
#[schema(as = OrganizationLimits)]
#[serde(rename_all = "camelCase")]
struct LimitsView {
    /// Live messages; a message counts one for every started 16 kB. Null: not limited.
    live: Option<RateView>,
    /// Messages of the sandbox. Null: not limited.
    sandbox: Option<RateView>,
    /// Requests that send no message. Null: not limited.
    requests: Option<RateView>,
    /// Messages of the categories `OTP` and `ALERT` that are sent before all others. Further ones
    /// are not refused. Each instance of the service counts for itself.
    urgent: RateView,
    spending: DailySpendingView,
    /// Limits on messages to similar numbers. Null: not limited.
    velocity: Option<VelocityView>,
    /// Webhook endpoints that are active.
    webhook_endpoints: CountView,
    sender_names: CountView,
    segments: CountView,
    events: CountView,
    /// Campaigns that have not ended.
    campaigns: CountView,
    /// Imports of contacts that are not done.
    contact_imports: CountView,
    /// Imports of suppression lists that are not done.
    suppression_imports: CountView,
    /// Invoices that are open.
    invoices: CountView,
    contacts: CountView,
    /// Size of the contacts, in bytes.
    contact_bytes: CountView,
    /// Entries of the suppression list. Those that recipients make are never refused.
    suppressions: CountView,
    templates: CountView,
    /// Size of the stored versions of all templates, in bytes.
    template_bytes: CountView,
    /// Approvals of templates and campaigns that are pending.
    pending_approvals: CountView,
    /// Approvals of templates and campaigns that were requested in the last 24 hours.
    daily_approvals: CountView,
    /// Files that were imported in the last 24 hours.
    daily_imports: CountView,
    /// Texts that a language model wrote in the last 24 hours. Null: not limited.
    daily_texts: Option<CountView>,
    sizes: SizesView,
}

/// Spending of today, in UTC.
#[derive(Serialize, ToSchema)]
#[schema(as = DailySpending)]
#[serde(rename_all = "camelCase")]
struct DailySpendingView {
    /// Maximum spending in a day; null for no limit.
    #[schema(example = 100.0)]
    daily_limit: Option<f64>,
    /// Spending of today, without refunds.
    #[schema(example = 0.035)]
    spent_today: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Time at which the day ends.
    resets_at: Timestamp,
}

/// Maximum number of messages to some numbers within an hour, campaigns aside. Further ones are
/// accepted, and fail at no cost.
#[derive(Serialize, ToSchema)]
#[schema(as = VelocityLimits)]
#[serde(rename_all = "camelCase")]
struct VelocityView {
    /// To a block of a thousand consecutive numbers.
    #[schema(example = 200)]
    per_number_block: u32,
    /// True if `perNumberBlock` is the organization's own; else it is that of the installation.
    is_own: bool,
    /// To a country that the organization has not named and does not usually send to.
    #[schema(example = 200)]
    per_unusual_country: u32,
    /// To all such countries together.
    #[schema(example = 400)]
    to_unusual_countries: u32,
}

/// Limit on a number of things, with the present number.
#[derive(Serialize, ToSchema)]
#[schema(as = CountUse)]
struct CountView {
    #[schema(example = 100)]
    limit: u64,
    #[schema(example = 3)]
    used: u64,
}

/// Maximum sizes of requests.
#[derive(Serialize, ToSchema)]
#[schema(as = RequestSizes)]
#[serde(rename_all = "camelCase")]
struct SizesView {
    /// Bytes of a body.
    #[schema(example = 1_048_576)]
    body_bytes: usize,
    /// Messages of a bulk request.
    #[schema(example = 100)]
    bulk_messages: usize,
    /// Rows of an imported file.
    #[schema(example = 100_000)]
    import_rows: u32,
    /// Bytes of an imported file.
    #[schema(example = 20_971_520)]
    import_bytes: usize,
}

impl From<LimitsOverview> for LimitsView {
    fn from(overview: LimitsOverview) -> Self {
        let LimitsOverview { rate_limits, own, usage, .. } = overview;
        let count = |limit: u64, used| CountView { limit, used };
        let held = |it: Holding| count(overview.holdings.limit(it), overview.holdings.used(it));
        let texts = overview.content.map(|it| {
            let (limit, left) = (it.rate.burst, it.level.remaining);
            count(limit.into(), limit.saturating_sub(left).into())
        });
        Self {
            live: rate_limits.map(|it| RateView::of(it.live_messages, own.live)),
            sandbox: rate_limits.map(|it| RateView::of(it.sandbox_messages, own.sandbox)),
            requests: rate_limits.map(|it| RateView::of(it.requests, own.requests)),
            urgent: RateView {
                per_second: UrgentAllowance::PER_SECOND,
                burst: UrgentAllowance::BURST,
                available: overview.urgent_left,
                is_own: false,
            },
            spending: DailySpendingView {
                daily_limit: overview.daily_limit.map(Money::to_number),
                spent_today: overview.spent_today.to_number(),
                currency: CURRENCY,
                resets_at: overview.resets_at.into(),
            },
            velocity: overview.per_number_block.map(|per_number_block| VelocityView {
                per_number_block,
                is_own: overview.has_own_velocity_limit,
                per_unusual_country: PER_COUNTRY,
                to_unusual_countries: TO_UNUSUAL_COUNTRIES,
            }),
            webhook_endpoints: count(MAX_ACTIVE_ENDPOINTS as u64, usage.webhook_endpoints),
            sender_names: count(MAX_SENDER_NAMES as u64, usage.sender_names),
            segments: count(MAX_SEGMENTS, usage.segments),
            events: count(MAX_EVENTS, usage.events),
            campaigns: count(MAX_UNFINISHED, usage.unfinished_campaigns),
            contact_imports: count(MAX_WAITING as u64, usage.contact_imports),
            suppression_imports: count(MAX_WAITING as u64, usage.suppression_imports),
            invoices: count(MAX_OPEN as u64, usage.open_invoices),
            contacts: held(Holding::Contacts),
            contact_bytes: held(Holding::ContactBytes),
            suppressions: held(Holding::Suppressions),
            templates: held(Holding::Templates),
            template_bytes: held(Holding::TemplateBytes),
            pending_approvals: held(Holding::PendingApprovals),
            daily_approvals: held(Holding::DailyApprovals),
            daily_imports: held(Holding::DailyImports),
            daily_texts: texts,
            sizes: SizesView {
                body_bytes: MAX_BODY,
                bulk_messages: MAX_BULK,
                import_rows: MAX_ROWS,
                import_bytes: MAX_BYTES,
            },
        }
    }
}

async fn show(Member(caller): Member, api: Data<Api>) -> Result<Answer<LimitsView>, ApiError> {
    Ok(Answer::new(api.organization_limits.overview(&caller).await?))
}
