//! The calls made with a key.

use chrono::NaiveDate;
use domain::identity::key_calls::Calls;
use serde::Serialize;
use utoipa::ToSchema;

/// Calls made with an API key on a day.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKeyDay)]
pub(super) struct KeyDayView {
    /// Day in UTC.
    #[schema(value_type = String, format = Date, example = "2026-01-31")]
    date: NaiveDate,
    /// Number of calls with a successful answer.
    #[schema(example = 412)]
    accepted: u64,
    /// Number of calls that were answered with an error.
    #[schema(example = 3)]
    refused: u64,
}

impl From<(NaiveDate, Calls)> for KeyDayView {
    fn from((date, calls): (NaiveDate, Calls)) -> Self {
        Self { date, accepted: calls.accepted, refused: calls.refused }
    }
}
