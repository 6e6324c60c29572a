//! Aggregates of messages, from the counters of days.

use async_trait::async_trait;
use chrono::{NaiveDate, NaiveTime};
use diesel::sql_types::{BigInt, Date, Text, Timestamptz, Uuid as SqlUuid};
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
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

type CountRow = (NaiveDate, String, String, i64, i64, i64);

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
        let count = Statement::<(Date, Text, Text, BigInt, BigInt, BigInt)>::returning(&[COUNTS])
            .bind::<Text, _>(period)
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Timestamptz, _>(since.and_time(NaiveTime::MIN).and_utc());
        let rows: Vec<CountRow> =
            count.load(self.session().await?.conn()).await.map_err(store_error)?;
        let counts = rows.into_iter().map(|row| read(row).ok_or_else(|| of(organization)));
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
fn read((since, channel, status, messages, segments, cost): CountRow) -> Option<Count> {
    Some(Count {
        since,
        channel: channel.parse().ok()?,
        status: status.parse().ok()?,
        messages: messages.try_into().ok()?,
        segments: segments.try_into().ok()?,
        cost: Money::from_micros(cost),
    })
}

/// A single counter may be below zero, the sum never is.
const COUNTS: &str = "\
    SELECT (date_trunc(?, starts_at, 'UTC') AT TIME ZONE 'UTC')::date AS since, channel, status, \
        sum(messages)::bigint, sum(segments)::bigint, sum(cost_micros)::bigint \
    FROM delivery_log_counts_of(?) \
    WHERE span = 'DAY' AND starts_at >= ? AND NOT is_sandbox \
    GROUP BY since, channel, status HAVING sum(messages) <> 0";
