//! `/analytics`

use actix_web::web::Data;
use chrono::NaiveDate;
use domain::{
    platform::{
        analytics::{Figures, Overview, Trends},
        recommendation::{Recommendation, RecommendationCode},
    },
    shared::money::CURRENCY,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    messaging::messages::view::MessageView,
    money::usage,
    shared::{
        answers::{Answer, Listed},
        caller::Member,
        endpoint::{Area, get},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
    },
};

mod messages;

pub(super) fn area() -> Area {
    Area {
        name: "Analytics",
        about: "Figures about messages, always up to date.",
        endpoints: vec![
            get("/analytics/overview", "getAnalyticsOverview", overview)
                .summary("Get the figures of the last thirty days.")
                .description(
                    "Live messages count on the day of their acceptance (UTC), today included. A \
                     failed message was refunded, and is not part of `spend`.",
                )
                .answers("Volume, delivery rate and spend, with trends."),
            messages::endpoint(),
            get("/analytics/recommendations", "listRecommendations", recommendations)
                .summary("List recommendations.")
                .description(
                    "At most four, the most valuable one first. They are based on the figures of \
                     the last 30 days, the newest 1,000 messages of these, the events, the keys \
                     and the wallet. They are evaluated at the first request in an hour, and do \
                     not change within it.",
                )
                .answers("Recommendations."),
            get("/analytics/costs", "listCosts", usage::costs)
                .summary("Get usage and cost by channel and month.")
                .description(usage::ABOUT)
                .answers("A row for each month and channel with messages."),
            get("/analytics/failures", "listFailures", failures)
                .summary("List the last 50 messages that failed.")
                .description(
                    "Newest first, including those of the sandbox, which have `isSandbox`.",
                )
                .answers("Delivery logs."),
        ],
    }
}

/// The kinds of recommendations.
type CodeName = Names<RecommendationCode>;

impl Vocabulary for RecommendationCode {
    const TITLE: &'static str = "RecommendationCode";
    const DESCRIPTION: &'static str = "An improvement that the figures suggest.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Last thirty days, compared with the thirty days before.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalyticsOverview)]
#[serde(rename_all = "camelCase")]
struct OverviewView {
    /// The first day.
    #[schema(value_type = String, format = Date, example = "2026-01-02")]
    from: NaiveDate,
    /// The last day, which is the present one.
    #[schema(value_type = String, format = Date, example = "2026-01-31")]
    to: NaiveDate,
    /// Number of messages accepted, whatever their outcome.
    #[schema(example = 1200)]
    sent: u64,
    /// Number of these that reached their recipients.
    #[schema(example = 1140)]
    delivered: u64,
    /// Number of these that failed.
    #[schema(example = 12)]
    failed: u64,
    /// Delivered ÷ (delivered + failed), from 0 to 1; null without either.
    #[schema(example = 0.9896)]
    delivery_rate: Option<f64>,
    /// Payments for the messages, without refunds.
    #[schema(example = 41.58)]
    spend: f64,
    /// The currency of `spend`.
    #[schema(example = "GHS")]
    currency: &'static str,
    trends: TrendsView,
    /// All days, oldest first.
    daily: Vec<DayView>,
}

/// Growth in per cent against the thirty days before; null if there were none.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalyticsTrends)]
#[serde(rename_all = "camelCase")]
struct TrendsView {
    #[schema(example = 20.0)]
    sent: Option<f64>,
    #[schema(example = -0.5)]
    delivery_rate: Option<f64>,
    #[schema(example = 18.4)]
    spend: Option<f64>,
}

/// The messages that were accepted on one day.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalyticsDay)]
struct DayView {
    /// The day (UTC).
    #[schema(value_type = String, format = Date, example = "2026-01-31")]
    date: NaiveDate,
    #[schema(example = 40)]
    sent: u64,
    #[schema(example = 38)]
    delivered: u64,
    #[schema(example = 1)]
    failed: u64,
    /// Payments for them, without refunds.
    #[schema(example = 1.365)]
    spend: f64,
}

/// Suggested improvement.
#[derive(Serialize, ToSchema)]
#[schema(as = Recommendation)]
#[serde(rename_all = "camelCase")]
struct RecommendationView {
    #[schema(value_type = CodeName)]
    code: &'static str,
    #[schema(example = "The wallet lasts for 3 days")]
    title: String,
    /// Reason and action, for people.
    #[schema(example = "At 12.5 GHS a day the wallet is empty in 3 days. Top it up.")]
    message: String,
    /// Extension: metric that `value` measures.
    #[schema(example = "daysLeft")]
    metric: &'static str,
    /// Extension: figure that led to the recommendation.
    #[schema(example = 3.0)]
    value: f64,
    /// Extension: approximate number of messages in thirty days that are concerned. It determines
    /// the order.
    #[schema(example = 1800)]
    messages_at_stake: u64,
    /// Extension: time of the evaluation.
    evaluated_at: Option<Timestamp>,
}

impl From<Overview> for OverviewView {
    fn from(overview: Overview) -> Self {
        let Overview { days, total, trends, before: _ } = overview;
        let date =
            |day: Option<&(NaiveDate, Figures)>| day.map(|(date, _)| *date).unwrap_or_default();
        Self {
            from: date(days.first()),
            to: date(days.last()),
            sent: total.sent,
            delivered: total.delivered,
            failed: total.failed,
            delivery_rate: total.delivery_rate(),
            spend: total.spend.to_number(),
            currency: CURRENCY,
            trends: trends.into(),
            daily: days.into_iter().map(DayView::from).collect(),
        }
    }
}

impl From<Trends> for TrendsView {
    fn from(trends: Trends) -> Self {
        let Trends { sent, delivery_rate, spend } = trends;
        Self { sent, delivery_rate, spend }
    }
}

impl From<(NaiveDate, Figures)> for DayView {
    fn from((date, figures): (NaiveDate, Figures)) -> Self {
        let Figures { sent, delivered, failed, spend } = figures;
        Self { date, sent, delivered, failed, spend: spend.to_number() }
    }
}

impl From<Recommendation> for RecommendationView {
    fn from(recommendation: Recommendation) -> Self {
        Self {
            code: recommendation.code.as_str(),
            title: recommendation.title,
            message: recommendation.message,
            metric: recommendation.code.metric(),
            value: recommendation.value,
            messages_at_stake: recommendation.messages_at_stake,
            evaluated_at: None,
        }
    }
}

async fn overview(
    Member(caller): Member,
    api: Data<Api>,
) -> Result<Answer<OverviewView>, ApiError> {
    Ok(Answer::new(api.analytics.overview(&caller).await?))
}

async fn recommendations(
    Member(caller): Member,
    api: Data<Api>,
) -> Result<Listed<RecommendationView>, ApiError> {
    let made = api.recommendations.list(&caller).await?;
    let view = |item| {
        let evaluated_at = made.evaluated_at.map(Timestamp::from);
        RecommendationView { evaluated_at, ..RecommendationView::from(item) }
    };
    Ok(Listed::new(made.items.into_iter().map(view)))
}

async fn failures(Member(caller): Member, api: Data<Api>) -> Result<Listed<MessageView>, ApiError> {
    Ok(Listed::with_cut_texts(api.analytics.failures(&caller).await?))
}
