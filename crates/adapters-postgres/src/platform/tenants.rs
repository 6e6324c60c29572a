//! Organizations, as platform administrators see them. Their identities are global, their data are
//! their own: no statement reads both.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{dsl::count_star, prelude::*, sql_types::Text};
use domain::{
    identity::organization::{Organization, PLATFORM},
    money::revenue::{RevenueLine, Takings},
    platform::{activity::Activity, tenant::TenantFilter},
    shared::{
        channel::Channel,
        id::Id,
        money::Money,
        page::{Page, Paged},
        text::fold,
    },
};
use ports::{platform::tenants::TenantRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::{
    identity::organizations,
    shared::{
        database::session::{PgSession, PgStore},
        error::{corrupt, store_error},
        query::{row::row, run_query::RunQueryDsl, search, sql::sql},
        schema::{members, organizations as table},
    },
};

/// Maximum number of organizations that match a filter and are counted and shown.
const MOST_FOUND: usize = 10_000;

row! {
    struct BalanceRow {
        organization_id: Id<Organization>,
        balance_micros: Money,
    }
}

row! {
    struct RevenueRow {
        day: NaiveDate,
        channel: String,
        messages: i64,
        paid_micros: Money,
    }
}

define_sql_function! {
    fn lower(text: Text) -> Text;
}

#[async_trait]
impl TenantRepository for PgStore {
    async fn page(
        &self,
        filter: &TenantFilter,
        page: Page,
    ) -> Result<Paged<Organization>, StoreError> {
        let mut session = self.session().await?;
        if filter.is_everybody() {
            let total = session.count_organizations().await?;
            let ids = session.newest_organizations(page).await?;
            let items = organizations::newest(session.conn(), &ids).await?;
            return Ok(Paged::counted(items, page, total));
        }
        let mut matching = table::table.filter(table::id.ne(PLATFORM.uuid())).into_boxed();
        if let Some(search) = &filter.search {
            matching = matching.filter(lower(table::name).like(search::pattern(&fold(search))));
        }
        match filter.is_suspended {
            Some(true) => matching = matching.filter(table::suspended_at.is_not_null()),
            Some(false) => matching = matching.filter(table::suspended_at.is_null()),
            None => {}
        }
        let ids = matching.select(table::id).order(table::id.desc());
        let ids = ids.limit(search::one_more(MOST_FOUND));
        let ids: Vec<Uuid> = ids.load(session.conn()).await.map_err(store_error)?;
        let found = ids.len() as u64;
        let items = organizations::newest(session.conn(), &page.cut(ids)).await?;
        Ok(Paged::counted_up_to(MOST_FOUND as u64, items, page, found))
    }

    async fn members(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, u64>, StoreError> {
        let query = members::table
            .filter(members::organization_id.eq_any(uuids(organizations)))
            .group_by(members::organization_id)
            .select((members::organization_id, count_star()));
        let rows: Vec<(Uuid, i64)> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(|(id, members)| (Id::of(id), members.unsigned_abs())).collect())
    }

    async fn balances(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<HashMap<Id<Organization>, Money>, StoreError> {
        let balances = sql!(BALANCES, ids = organizations);
        let rows: Vec<BalanceRow> = balances.rows(self.session().await?.conn()).await?;
        Ok(rows.into_iter().map(|row| (row.organization_id, row.balance_micros)).collect())
    }

    async fn revenue(&self) -> Result<Vec<RevenueLine>, StoreError> {
        let revenue = sql!(REVENUE, platform = PLATFORM);
        let rows: Vec<RevenueRow> = revenue.rows(self.session().await?.conn()).await?;
        let line = |row: RevenueRow| {
            let channel: Result<Channel, _> = row.channel.parse();
            let channel = channel.map_err(|_| corrupt("platform_counters", row.day))?;
            let taken = Takings { messages: row.messages, revenue: row.paid_micros };
            Ok(RevenueLine { day: row.day, channel, taken })
        };
        rows.into_iter().map(line).collect()
    }

    async fn wallet_balances(&self) -> Result<Money, StoreError> {
        let balances = sql!(
            "SELECT ((SELECT coalesce(sum(balance_micros), 0) FROM wallets) \
                + (SELECT coalesce(sum(amount_micros), 0) \
                    FROM journal CROSS JOIN UNNEST(refunds_micros) \
                        AS refund (amount_micros)))::bigint"
        );
        balances.only(self.session().await?.conn()).await
    }

    async fn activity(&self, now: DateTime<Utc>) -> Result<Activity, StoreError> {
        self.session().await?.activity(now).await
    }
}

impl PgSession {
    /// Returns the number of organizations, without the platform's own, which is stored, not
    /// counted.
    async fn count_organizations(&mut self) -> Result<u64, StoreError> {
        let total = sql!("SELECT organizations FROM organization_totals WHERE id = 1");
        let total: i64 = total.only(self.conn()).await?;
        Ok(total.unsigned_abs())
    }

    /// Returns the identifiers of the organizations on a page.
    async fn newest_organizations(&mut self, page: Page) -> Result<Vec<Uuid>, StoreError> {
        let newest = sql!(
            "SELECT id FROM organizations WHERE id <> {platform} \
             ORDER BY id DESC OFFSET {offset} LIMIT {limit}",
            platform = PLATFORM,
            offset = i64::try_from(page.offset()).unwrap_or(i64::MAX),
            limit = i64::from(page.limit()),
        );
        newest.values(self.conn()).await
    }
}

fn uuids(organizations: &[Id<Organization>]) -> Vec<Uuid> {
    organizations.iter().copied().map(Id::uuid).collect()
}

/// The same as the view `wallet_balances`, but for a few organizations: only journal lines that
/// name them are unnested.
const BALANCES: &str = "\
    SELECT wallet.organization_id, \
        wallet.balance_micros + coalesce(owed.amount_micros, 0) AS balance_micros \
    FROM wallets wallet LEFT JOIN ( \
        SELECT refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros \
        FROM journal CROSS JOIN UNNEST(payee_ids, refunds_micros) \
            AS refund (organization_id, amount_micros) \
        WHERE payee_ids && {ids}::uuid[] AND refund.organization_id = ANY({ids}::uuid[]) \
        GROUP BY refund.organization_id \
    ) AS owed ON owed.organization_id = wallet.organization_id \
    WHERE wallet.organization_id = ANY({ids})";

/// Failed messages were refunded, and the platform's own mails are not billed to anybody.
const REVENUE: &str = "\
    SELECT day, channel, sum(messages)::bigint AS messages, \
        sum(paid_micros)::bigint AS paid_micros \
    FROM (SELECT day, channel, messages, \
            CASE WHEN status <> 'FAILED' THEN cost_micros ELSE 0 END AS paid_micros \
        FROM platform_counts WHERE NOT is_sandbox \
        UNION ALL \
        SELECT (starts_at AT TIME ZONE 'UTC')::date, channel, -messages, 0 \
        FROM delivery_log_counts_of({platform}) WHERE span = 'DAY' AND NOT is_sandbox) AS line \
    GROUP BY 1, 2";
