//! Present traffic and payments of all organizations, from stored counts.

use chrono::{DateTime, DurationRound, NaiveTime, TimeDelta, Utc};
use diesel::sql_types::{BigInt, Date, Text, Timestamptz, Uuid as SqlUuid};
use domain::{
    platform::{
        activity::{Activity, ENDPOINTS_SHOWN, FailingEndpoint, RATE_MINUTES},
        message_figures::MessageCounts,
    },
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{run_query::RunQueryDsl, search, statement::Statement},
};

/// Numbers of sent, delivered and failed messages, of segments, and micros.
type CountTypes = (BigInt, BigInt, BigInt, BigInt, BigInt);
type CountRow = (i64, i64, i64, i64, i64);

impl PgSession {
    /// Returns the traffic and the payments of all organizations.
    pub(super) async fn activity(&mut self, now: DateTime<Utc>) -> Result<Activity, StoreError> {
        Ok(Activity {
            accepted_lately: self.accepted_lately(now).await?,
            today: self.messages_of_today(now).await?,
            paid_in: self.paid_in(now).await?,
            providers: self.messages_by_provider(now).await?,
            failing_endpoints: self.failing_endpoints().await?,
        })
    }

    async fn accepted_lately(&mut self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let minute = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
        let minutes = TimeDelta::minutes(i64::try_from(RATE_MINUTES).unwrap_or(i64::MAX));
        let query = Statement::<BigInt>::returning(&[ACCEPTED])
            .bind::<Timestamptz, _>(minute - minutes)
            .bind::<Timestamptz, _>(minute);
        let accepted: i64 = query.get_result(self.conn()).await.map_err(store_error)?;
        Ok(count(accepted))
    }

    async fn messages_of_today(&mut self, now: DateTime<Utc>) -> Result<MessageCounts, StoreError> {
        let query = Statement::<CountTypes>::returning(&[TODAY]).bind::<Date, _>(now.date_naive());
        let row: CountRow = query.get_result(self.conn()).await.map_err(store_error)?;
        Ok(counts(row))
    }

    async fn paid_in(&mut self, now: DateTime<Utc>) -> Result<Money, StoreError> {
        let midnight = now.date_naive().and_time(NaiveTime::MIN).and_utc();
        let query = Statement::<BigInt>::returning(&[PAID_IN]).bind::<Timestamptz, _>(midnight);
        let micros: i64 = query.get_result(self.conn()).await.map_err(store_error)?;
        Ok(Money::from_micros(micros))
    }

    async fn messages_by_provider(
        &mut self,
        now: DateTime<Utc>,
    ) -> Result<Vec<(Option<String>, MessageCounts)>, StoreError> {
        let since = Activity::providers_since(now);
        let query = Statement::<(Text, CountTypes)>::returning(&[BY_PROVIDER])
            .bind::<Timestamptz, _>(since)
            .bind::<Timestamptz, _>(since);
        let rows: Vec<(String, CountRow)> = query.load(self.conn()).await.map_err(store_error)?;
        let provider =
            |(name, row): (String, CountRow)| (Some(name).filter(|it| !it.is_empty()), counts(row));
        Ok(rows.into_iter().map(provider).collect())
    }

    async fn failing_endpoints(&mut self) -> Result<Vec<FailingEndpoint>, StoreError> {
        let query = Statement::<(SqlUuid, Text, Timestamptz)>::returning(&[FAILING])
            .bind::<BigInt, _>(search::one_more(ENDPOINTS_SHOWN));
        let rows: Vec<(Uuid, String, DateTime<Utc>)> =
            query.load(self.conn()).await.map_err(store_error)?;
        let endpoint = |(id, url, since)| FailingEndpoint { organization: Id::of(id), url, since };
        Ok(rows.into_iter().map(endpoint).collect())
    }
}

/// A single counter may be below zero, the sum never is.
fn count(sum: i64) -> u64 {
    u64::try_from(sum).unwrap_or_default()
}

fn counts((sent, delivered, failed, segments, micros): CountRow) -> MessageCounts {
    MessageCounts {
        sent: count(sent),
        delivered: count(delivered),
        failed: count(failed),
        segments: count(segments),
        cost: Money::from_micros(micros),
    }
}

const ACCEPTED: &str = "\
    SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_slot_counts \
    WHERE starts_at >= ? AND starts_at < ?";

const TODAY: &str = "\
    SELECT coalesce(sum(messages), 0)::bigint, \
        coalesce(sum(messages) FILTER (WHERE status = 'DELIVERED'), 0)::bigint, \
        coalesce(sum(messages) FILTER (WHERE status = 'FAILED'), 0)::bigint, \
        coalesce(sum(segments), 0)::bigint, \
        coalesce(sum(cost_micros) FILTER (WHERE status <> 'FAILED'), 0)::bigint \
    FROM platform_counts WHERE day = ? AND NOT is_sandbox";

const PAID_IN: &str = "\
    SELECT coalesce(sum(amount_micros), 0)::bigint FROM wallet_credits \
    WHERE created_at >= ? AND kind IN ('TOP_UP', 'MANUAL_CREDIT')";

const BY_PROVIDER: &str = "\
    SELECT value, sum(sent)::bigint, sum(delivered)::bigint, sum(failed)::bigint, \
        sum(segments)::bigint, sum(cost_micros)::bigint \
    FROM (SELECT value, sent, delivered, failed, segments, cost_micros FROM message_figures \
        WHERE span = 'HOUR' AND starts_at >= ? AND dimension = 'PROVIDER' \
        UNION ALL \
        SELECT value, sent, delivered, failed, segments, cost_micros FROM unposted_figures \
        WHERE dimension = 'PROVIDER' AND slot >= ?) AS figure \
    GROUP BY value HAVING sum(sent) <> 0 OR sum(failed) <> 0 ORDER BY value";

const FAILING: &str = "\
    SELECT organization_id, url, failing_since FROM webhook_endpoints \
    WHERE failing_since IS NOT NULL AND is_active \
    ORDER BY failing_since, organization_id, id LIMIT ?";
