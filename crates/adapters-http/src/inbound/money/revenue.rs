//! `/admin/revenue`

use actix_web::web::Data;
use domain::{
    money::revenue::{Revenue, Takings},
    shared::{channel::Channel, money::CURRENCY},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        endpoint::{Area, get},
        error::ApiError,
        formats::ChannelName,
        platform_admin::PlatformAdmin,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Revenue",
        about: "Payments of organizations, for platform administrators.",
        endpoints: vec![
            get("/admin/revenue", "getRevenue", show)
                .summary("Get the revenue, and the balances of organizations.")
                .description(
                    "For platform administrators. Live messages count in the month in which they \
                     were accepted, with their costs. A failed message is refunded, and its cost \
                     is subtracted from the same month. The service's own mails do not count.",
                )
                .answers("All time, the last twelve months, and the channels."),
        ],
    }
}

/// Payments and balances of organizations.
#[derive(Serialize, ToSchema)]
#[schema(as = Revenue)]
#[serde(rename_all = "camelCase")]
struct RevenueView {
    /// Payments for messages, of all time, less refunds.
    #[schema(example = 1204.55)]
    total_revenue: f64,
    /// Number of live messages accepted, of all time.
    #[schema(example = 34_416)]
    message_count: i64,
    /// Sum of all wallets.
    #[schema(example = 310.25)]
    wallet_balances: f64,
    /// The currency of all amounts.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Extension: last twelve months in UTC, the current one first.
    months: Vec<MonthRevenueView>,
    /// Extension: all channels, of all time.
    channels: Vec<ChannelRevenueView>,
}

/// Payments for the messages of a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthRevenue)]
struct MonthRevenueView {
    #[schema(example = "2026-11")]
    month: String,
    #[schema(example = 120.4)]
    revenue: f64,
    #[schema(example = 3_440)]
    messages: i64,
}

/// Payments for the messages of a channel.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelRevenue)]
struct ChannelRevenueView {
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    #[schema(example = 980.0)]
    revenue: f64,
    #[schema(example = 28_000)]
    messages: i64,
}

impl From<Revenue> for RevenueView {
    fn from(revenue: Revenue) -> Self {
        let month = |(month, taken): (chrono::NaiveDate, Takings)| MonthRevenueView {
            month: month.format("%Y-%m").to_string(),
            revenue: taken.revenue.to_number(),
            messages: taken.messages,
        };
        let channel = |(channel, taken): (Channel, Takings)| ChannelRevenueView {
            channel: channel.as_str(),
            revenue: taken.revenue.to_number(),
            messages: taken.messages,
        };
        Self {
            total_revenue: revenue.total.revenue.to_number(),
            message_count: revenue.total.messages,
            wallet_balances: revenue.wallet_balances.to_number(),
            currency: CURRENCY,
            months: revenue.months.into_iter().map(month).collect(),
            channels: revenue.channels.into_iter().map(channel).collect(),
        }
    }
}

async fn show(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
) -> Result<Answer<RevenueView>, ApiError> {
    Ok(Answer::new(api.tenants.revenue(&admin).await?))
}
