//! `/analytics/messages`

use actix_web::web::Data;
use domain::{
    platform::message_figures::{
        Bound, Dimension, FiguresRequest, Interval, MessageCounts, MessageFigure, MessageFigures,
    },
    shared::money::CURRENCY,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        caller::Member,
        endpoint::{Endpoint, get, schemas::Schemas},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::JsonSchema,
        query::{FromQuery, Parameters, Query},
    },
};

/// Description of the endpoint.
const ABOUT: &str = "\
    Live messages count in the hour and on the day of their acceptance. Days and hours are those of \
    UTC, whatever the organization's time zone. A message counts in its present state: one that \
    fails later moves, and its refund reduces `cost`. A message counts for the provider that has it, \
    or had it last, and before that with the value null. Messages without a campaign, event, \
    template, error or country are left out. The 100 values with the most messages have rows of \
    their own, in a long period fewer, so that there are at most 10,000 rows; all other values share \
    one row for each day or hour, with `isOther`. A day or hour without messages has no row.";

/// Returns the endpoint of figures by time and one property.
pub(super) fn endpoint() -> Endpoint {
    get("/analytics/messages", "getAnalyticsMessages", messages)
        .extension()
        .summary("Get numbers of messages by day or hour and one property.")
        .description(ABOUT)
        .answers("Rows, oldest first, and their totals.")
}

/// Properties by which messages are counted.
type DimensionName = Names<Dimension>;
/// Parts of a period.
type IntervalName = Names<Interval>;

impl Vocabulary for Dimension {
    const TITLE: &'static str = "FigureDimension";
    const DESCRIPTION: &'static str = "The property by which messages are counted.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for Interval {
    const TITLE: &'static str = "FigureInterval";
    const DESCRIPTION: &'static str = "The length of the parts of a period.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl JsonSchema for Bound {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string" })
    }
}

impl FromQuery for FiguresRequest {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let from = parameters.optional(
            "from",
            "The first day (UTC), such as `2026-01-01`, or a time with an offset; if absent, 30 days \
             before `to`, or for hours one day. At most 400 days before `to`, and for hours at most \
             14 days ago.",
        );
        let to = parameters.optional(
            "to",
            "The last day (UTC), or the time before which messages were accepted; the present if \
             absent. The period is extended to whole days or hours.",
        );
        let interval = parameters.optional("interval", "The parts of the period; `day` if absent.");
        let by = parameters.optional("by", "The property to count by; `channel` if absent.");
        Some(Self { from, to, interval: interval.unwrap_or_default(), by: by.unwrap_or_default() })
    }
}

/// Numbers of messages by day or hour and one property.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageFigures)]
struct FiguresView {
    /// Beginning of the first day or hour.
    from: Timestamp,
    /// End of the last day or hour.
    to: Timestamp,
    #[schema(value_type = IntervalName)]
    interval: &'static str,
    #[schema(value_type = DimensionName)]
    by: &'static str,
    /// The currency of all costs.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Days or hours and values that have messages, oldest first.
    figures: Vec<FigureView>,
    totals: TotalsView,
}

/// Messages of one day or hour with one value.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageFigure)]
#[serde(rename_all = "camelCase")]
struct FigureView {
    /// Beginning of the day or hour.
    at: Timestamp,
    /// A name of a channel, provider or error, the identifier of a campaign or template, the slug of
    /// an event, or a country code; null for messages that no provider has taken, and with `isOther`.
    #[schema(example = "SMS")]
    value: Option<String>,
    /// Name of the campaign, event or template; null if it is deleted, and for all other values.
    #[schema(example = "Christmas sale")]
    name: Option<String>,
    /// True if the row stands for all values without rows of their own.
    is_other: bool,
    /// Number of messages accepted, whatever their outcome.
    #[schema(example = 1200)]
    sent: u64,
    /// Number of these that reached their recipients.
    #[schema(example = 1140)]
    delivered: u64,
    /// Number of these that failed.
    #[schema(example = 12)]
    failed: u64,
    /// Number of these that did neither yet, or whose outcome was not reported.
    #[schema(example = 48)]
    pending: u64,
    /// Number of their segments.
    #[schema(example = 1310)]
    segments: u64,
    /// Payments for them, without refunds.
    #[schema(example = 41.58)]
    cost: f64,
}

/// Sums of all rows.
#[derive(Serialize, ToSchema)]
#[schema(as = MessageFigureTotals)]
struct TotalsView {
    #[schema(example = 1200)]
    sent: u64,
    #[schema(example = 1140)]
    delivered: u64,
    #[schema(example = 12)]
    failed: u64,
    #[schema(example = 48)]
    pending: u64,
    #[schema(example = 1310)]
    segments: u64,
    #[schema(example = 41.58)]
    cost: f64,
}

impl From<MessageFigures> for FiguresView {
    fn from(figures: MessageFigures) -> Self {
        let MessageFigures { query, rows, totals } = figures;
        Self {
            from: query.from.into(),
            to: query.until.into(),
            interval: query.interval.as_str(),
            by: query.by.as_str(),
            currency: CURRENCY,
            figures: rows.into_iter().map(FigureView::from).collect(),
            totals: totals.into(),
        }
    }
}

impl From<MessageFigure> for FigureView {
    fn from(figure: MessageFigure) -> Self {
        let MessageFigure { at, value, name, is_other, counts } = figure;
        Self {
            at: at.into(),
            value,
            name,
            is_other,
            sent: counts.sent,
            delivered: counts.delivered,
            failed: counts.failed,
            pending: counts.pending(),
            segments: counts.segments,
            cost: counts.cost.to_number(),
        }
    }
}

impl From<MessageCounts> for TotalsView {
    fn from(counts: MessageCounts) -> Self {
        Self {
            sent: counts.sent,
            delivered: counts.delivered,
            failed: counts.failed,
            pending: counts.pending(),
            segments: counts.segments,
            cost: counts.cost.to_number(),
        }
    }
}

async fn messages(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<FiguresRequest>,
) -> Result<Answer<FiguresView>, ApiError> {
    let request = query.read()?;
    Ok(Answer::new(api.analytics.figures(&caller, &request).await?))
}
