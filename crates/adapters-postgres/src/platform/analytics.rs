//! Aggregates of messages, from the counters of days.

use async_trait::async_trait;
use chrono::{NaiveDate, NaiveTime};
use domain::{
    identity::organization::Organization,
    platform::{
        analytics::{Count, Period},
        message_figures::{FiguresQuery, MessageFigure},
    },
    shared::{id::Id, money::Money},
};
use ports::{platform::analytics::AnalyticsRepository, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore,
    error::corrupt,
    query::{row::row, sql::sql},
};

row! {
    struct CountRow {
        since: NaiveDate,
        channel: String,
        status: String,
        messages: i64,
        segments: i64,
        cost_micros: Money,
    }
}

#[async_trait]
impl AnalyticsRepository for PgStore {
    async fn counts(
        &self,
        organization: Id<Organization>,
        since: NaiveDate,
        period: Period,
    ) -> Result<Vec<Count>, StoreError> {
        let period = match period {
            Period::Day => "day",
            Period::Month => "month",
        };
        let count =
            sql!(COUNTS, period, organization, since = since.and_time(NaiveTime::MIN).and_utc());
        let rows: Vec<CountRow> = count.rows(self.session().await?.conn()).await?;
        let counts = rows.iter().map(|row| read(row).ok_or_else(|| of(organization)));
        counts.collect()
    }

    async fn figures(
        &self,
        organization: Id<Organization>,
        query: &FiguresQuery,
    ) -> Result<Vec<MessageFigure>, StoreError> {
        self.message_figures(organization, query).await
    }
}

fn of(organization: Id<Organization>) -> StoreError {
    corrupt("delivery_log_counters", organization)
}

/// Converts the row; `None` if the columns are invalid.
fn read(row: &CountRow) -> Option<Count> {
    Some(Count {
        since: row.since,
        channel: row.channel.parse().ok()?,
        status: row.status.parse().ok()?,
        messages: row.messages.try_into().ok()?,
        segments: row.segments.try_into().ok()?,
        cost: row.cost_micros,
    })
}

/// A single counter may be below zero, the sum never is.
const COUNTS: &str = "\
    SELECT (date_trunc({period}, starts_at, 'UTC') AT TIME ZONE 'UTC')::date AS since, channel, \
        status, sum(messages)::bigint AS messages, sum(segments)::bigint AS segments, \
        sum(cost_micros)::bigint AS cost_micros \
    FROM delivery_log_counts_of({organization}) \
    WHERE span = 'DAY' AND starts_at >= {since} AND NOT is_sandbox \
    GROUP BY since, channel, status HAVING sum(messages) <> 0";
