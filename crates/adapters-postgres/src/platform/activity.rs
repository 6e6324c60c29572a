//! Present traffic and payments of all organizations, from stored counts.

use chrono::{DateTime, DurationRound, NaiveTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    platform::{
        activity::{Activity, ENDPOINTS_SHOWN, FailingEndpoint, RATE_MINUTES},
        message_figures::MessageCounts,
    },
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgSession,
    query::{row::row, search, sql::sql},
};

row! {
    struct TodayRow {
        sent: i64,
        delivered: i64,
        failed: i64,
        segments: i64,
        cost_micros: Money,
    }
}

row! {
    struct ProviderRow {
        /// Name of the provider; empty if there was none.
        value: String,
        sent: i64,
        delivered: i64,
        failed: i64,
        segments: i64,
        cost_micros: Money,
    }
}

row! {
    struct FailingRow {
        organization_id: Id<Organization>,
        url: String,
        failing_since: DateTime<Utc>,
    }
}

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
        let accepted = sql!(
            "SELECT coalesce(sum(messages), 0)::bigint FROM delivery_log_slot_counts \
             WHERE starts_at >= {since} AND starts_at < {until}",
            since = minute - minutes,
            until = minute,
        );
        Ok(count(accepted.only(self.conn()).await?))
    }

    async fn messages_of_today(&mut self, now: DateTime<Utc>) -> Result<MessageCounts, StoreError> {
        let row: TodayRow = sql!(TODAY, today = now.date_naive()).only_row(self.conn()).await?;
        Ok(counts([row.sent, row.delivered, row.failed], row.segments, row.cost_micros))
    }

    async fn paid_in(&mut self, now: DateTime<Utc>) -> Result<Money, StoreError> {
        let midnight = now.date_naive().and_time(NaiveTime::MIN).and_utc();
        let paid = sql!(
            "SELECT coalesce(sum(amount_micros), 0)::bigint FROM wallet_credits \
             WHERE created_at >= {midnight} AND kind IN ('TOP_UP', 'MANUAL_CREDIT')",
            midnight,
        );
        paid.only(self.conn()).await
    }

    async fn messages_by_provider(
        &mut self,
        now: DateTime<Utc>,
    ) -> Result<Vec<(Option<String>, MessageCounts)>, StoreError> {
        let by_provider = sql!(BY_PROVIDER, since = Activity::providers_since(now));
        let rows: Vec<ProviderRow> = by_provider.rows(self.conn()).await?;
        let provider = |row: ProviderRow| {
            let counts =
                counts([row.sent, row.delivered, row.failed], row.segments, row.cost_micros);
            (Some(row.value).filter(|it| !it.is_empty()), counts)
        };
        Ok(rows.into_iter().map(provider).collect())
    }

    async fn failing_endpoints(&mut self) -> Result<Vec<FailingEndpoint>, StoreError> {
        let failing = sql!(
            "SELECT organization_id, url, failing_since FROM webhook_endpoints \
             WHERE failing_since IS NOT NULL AND is_active \
             ORDER BY failing_since, organization_id, id LIMIT {most}",
            most = search::one_more(ENDPOINTS_SHOWN),
        );
        let rows: Vec<FailingRow> = failing.rows(self.conn()).await?;
        let endpoint = |row: FailingRow| FailingEndpoint {
            organization: row.organization_id,
            url: row.url,
            since: row.failing_since,
        };
        Ok(rows.into_iter().map(endpoint).collect())
    }
}

/// A single counter may be below zero, the sum never is.
fn count(sum: i64) -> u64 {
    u64::try_from(sum).unwrap_or_default()
}

fn counts([sent, delivered, failed]: [i64; 3], segments: i64, cost: Money) -> MessageCounts {
    MessageCounts {
        sent: count(sent),
        delivered: count(delivered),
        failed: count(failed),
        segments: count(segments),
        cost,
    }
}

const TODAY: &str = "\
    SELECT coalesce(sum(messages), 0)::bigint AS sent, \
        coalesce(sum(messages) FILTER (WHERE status = 'DELIVERED'), 0)::bigint AS delivered, \
        coalesce(sum(messages) FILTER (WHERE status = 'FAILED'), 0)::bigint AS failed, \
        coalesce(sum(segments), 0)::bigint AS segments, \
        coalesce(sum(cost_micros) FILTER (WHERE status <> 'FAILED'), 0)::bigint \
            AS cost_micros \
    FROM platform_counts WHERE day = {today} AND NOT is_sandbox";

const BY_PROVIDER: &str = "\
    SELECT value, sum(sent)::bigint AS sent, sum(delivered)::bigint AS delivered, \
        sum(failed)::bigint AS failed, sum(segments)::bigint AS segments, \
        sum(cost_micros)::bigint AS cost_micros \
    FROM (SELECT value, sent, delivered, failed, segments, cost_micros FROM message_figures \
        WHERE span = 'HOUR' AND starts_at >= {since} AND dimension = 'PROVIDER' \
        UNION ALL \
        SELECT value, sent, delivered, failed, segments, cost_micros FROM unposted_figures \
        WHERE dimension = 'PROVIDER' AND slot >= {since}) AS figure \
    GROUP BY value HAVING sum(sent) <> 0 OR sum(failed) <> 0 ORDER BY value";
