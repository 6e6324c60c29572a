//! Organizations, as platform administrators see them. Their identities are global, their data are
//! their own: no statement reads both.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    dsl::count_star,
    prelude::*,
    sql_types::{Array, BigInt, Date, Text, Uuid as SqlUuid},
};
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
        query::{run_query::RunQueryDsl, search, statement::Statement},
        schema::{members, organizations as table},
    },
};

/// Maximum number of organizations that match a filter and are counted and shown.
const MOST_FOUND: usize = 10_000;

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
        let ids = uuids(organizations);
        let query = Statement::<(SqlUuid, BigInt)>::returning(&[BALANCES])
            .bind::<Array<SqlUuid>, _>(&ids)
            .bind::<Array<SqlUuid>, _>(&ids)
            .bind::<Array<SqlUuid>, _>(&ids);
        let rows: Vec<(Uuid, i64)> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let balances =
            rows.into_iter().map(|(id, micros)| (Id::of(id), Money::from_micros(micros)));
        Ok(balances.collect())
    }

    async fn revenue(&self) -> Result<Vec<RevenueLine>, StoreError> {
        let query = Statement::<(Date, Text, BigInt, BigInt)>::returning(&[REVENUE])
            .bind::<SqlUuid, _>(PLATFORM.uuid());
        let rows: Vec<(NaiveDate, String, i64, i64)> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let line = |(day, channel, messages, micros): (NaiveDate, String, i64, i64)| {
            let channel: Result<Channel, _> = channel.parse();
            let channel = channel.map_err(|_| corrupt("platform_counters", day))?;
            let taken = Takings { messages, revenue: Money::from_micros(micros) };
            Ok(RevenueLine { day, channel, taken })
        };
        rows.into_iter().map(line).collect()
    }

    async fn wallet_balances(&self) -> Result<Money, StoreError> {
        let query = Statement::<BigInt>::returning(&[WALLET_BALANCES]);
        let micros: i64 =
            query.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(Money::from_micros(micros))
    }

    async fn activity(&self, now: DateTime<Utc>) -> Result<Activity, StoreError> {
        self.session().await?.activity(now).await
    }
}

impl PgSession {
    /// Returns the number of organizations, without the platform's own, which is stored, not
    /// counted.
    async fn count_organizations(&mut self) -> Result<u64, StoreError> {
        let query = Statement::<BigInt>::returning(&[TOTAL]);
        let total: i64 = query.get_result(self.conn()).await.map_err(store_error)?;
        Ok(total.unsigned_abs())
    }

    /// Returns the identifiers of the organizations on a page.
    async fn newest_organizations(&mut self, page: Page) -> Result<Vec<Uuid>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[NEWEST])
            .bind::<SqlUuid, _>(PLATFORM.uuid())
            .bind::<BigInt, _>(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(i64::from(page.limit()));
        query.load(self.conn()).await.map_err(store_error)
    }
}

fn uuids(organizations: &[Id<Organization>]) -> Vec<Uuid> {
    organizations.iter().copied().map(Id::uuid).collect()
}

const TOTAL: &str = "SELECT organizations FROM organization_totals WHERE id = 1";

const NEWEST: &str = "SELECT id FROM organizations WHERE id <> ? ORDER BY id DESC OFFSET ? LIMIT ?";

/// The same as the view `wallet_balances`, but for a few organizations: only journal lines that
/// name them are unnested.
const BALANCES: &str = "\
    SELECT wallet.organization_id, wallet.balance_micros + coalesce(owed.amount_micros, 0) \
    FROM wallets wallet LEFT JOIN ( \
        SELECT refund.organization_id, sum(refund.amount_micros)::bigint AS amount_micros \
        FROM journal CROSS JOIN UNNEST(payee_ids, refunds_micros) \
            AS refund (organization_id, amount_micros) \
        WHERE payee_ids && ?::uuid[] AND refund.organization_id = ANY(?::uuid[]) \
        GROUP BY refund.organization_id \
    ) AS owed ON owed.organization_id = wallet.organization_id \
    WHERE wallet.organization_id = ANY(?)";

/// Failed messages were refunded, and the platform's own mails are not billed to anybody.
const REVENUE: &str = "\
    SELECT day, channel, sum(messages)::bigint, sum(paid_micros)::bigint \
    FROM (SELECT day, channel, messages, \
            CASE WHEN status <> 'FAILED' THEN cost_micros ELSE 0 END AS paid_micros \
        FROM platform_counts WHERE NOT is_sandbox \
        UNION ALL \
        SELECT (starts_at AT TIME ZONE 'UTC')::date, channel, -messages, 0 \
        FROM delivery_log_counts_of(?) WHERE span = 'DAY' AND NOT is_sandbox) AS line \
    GROUP BY 1, 2";

const WALLET_BALANCES: &str = "\
    SELECT ((SELECT coalesce(sum(balance_micros), 0) FROM wallets) \
        + (SELECT coalesce(sum(amount_micros), 0) \
            FROM journal CROSS JOIN UNNEST(refunds_micros) AS refund (amount_micros)))::bigint";
