//! `/billing/usage`, and what it shares with `/analytics/costs`.

use actix_web::web::Data;
use domain::{
    platform::analytics::{MonthCount, Usage},
    shared::money::CURRENCY,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Listed,
        caller::Member,
        endpoint::{Endpoint, get, schemas::Schemas},
        error::ApiError,
        formats::ChannelName,
        json_fields::JsonSchema,
        query::{FromQuery, Parameters, Query},
    },
};

/// Returns the endpoint of usage.
pub(crate) fn endpoint() -> Endpoint {
    get("/billing/usage", "listUsage", usage)
        .summary("Get usage by channel and month.")
        .description(ABOUT)
        .answers("A row for each month and channel with messages.")
}

/// Description of both endpoints.
pub(crate) const ABOUT: &str = "Newest month first. Live messages count in the month of their \
     acceptance (UTC), the current month included. A failed message was refunded: it counts as a \
     message with its segments, and is not part of `cost`.";

impl JsonSchema for MonthCount {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": Self::MAX })
    }
}

/// Number of months of which costs are shown.
pub(crate) struct MonthsOfCosts(MonthCount);

impl FromQuery for MonthsOfCosts {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let months = parameters.optional("months", "The number of calendar months; 3 if absent.");
        months.or_else(|| MonthCount::new(3).ok()).map(Self)
    }
}

/// Number of months of which usage is shown.
struct MonthsOfUsage(MonthCount);

impl FromQuery for MonthsOfUsage {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let months = parameters.optional("months", "The number of calendar months; 1 if absent.");
        months.or_else(|| MonthCount::new(1).ok()).map(Self)
    }
}

/// Usage of one channel in one month.
#[derive(Serialize, ToSchema)]
#[schema(as = Usage)]
pub(crate) struct UsageView {
    /// The calendar month (UTC).
    #[schema(example = "2026-01")]
    month: String,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// Number of messages accepted, whatever their outcome.
    #[schema(example = 1200)]
    messages: u64,
    /// Number of segments that were charged.
    #[schema(example = 1310)]
    segments: u64,
    /// Payments for them, without refunds.
    #[schema(example = 45.85)]
    cost: f64,
    /// Extension: the currency of the cost.
    #[schema(example = "GHS")]
    currency: &'static str,
}

impl From<Usage> for UsageView {
    fn from(usage: Usage) -> Self {
        Self {
            month: usage.month.format("%Y-%m").to_string(),
            channel: usage.channel.as_str(),
            messages: usage.messages,
            segments: usage.segments,
            cost: usage.cost.to_number(),
            currency: CURRENCY,
        }
    }
}

pub(crate) async fn costs(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<MonthsOfCosts>,
) -> Result<Listed<UsageView>, ApiError> {
    let MonthsOfCosts(months) = query.read()?;
    Ok(Listed::new(api.analytics.usage(&caller, months).await?))
}

async fn usage(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<MonthsOfUsage>,
) -> Result<Listed<UsageView>, ApiError> {
    let MonthsOfUsage(months) = query.read()?;
    Ok(Listed::new(api.analytics.usage(&caller, months).await?))
}
