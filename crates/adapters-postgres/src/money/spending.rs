//! Spending limits of organizations, stored with their wallets.

use async_trait::async_trait;
use domain::{
    identity::{organization::Organization, spending::SpendingRules},
    shared::{id::Id, money::Money},
};
use ports::{money::spending::SpendingRulesStore, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    struct RulesRow {
        low_balance_threshold_micros: Option<Money>,
        daily_spending_limit_micros: Option<Money>,
        spending_version: i64,
    }
}

#[async_trait]
impl SpendingRulesStore for PgStore {
    async fn unapplied(&self, limit: usize) -> Result<Vec<Id<Organization>>, StoreError> {
        let unapplied = sql!(
            "SELECT id FROM organizations WHERE spending_applied <> spending_version \
             ORDER BY id LIMIT {limit}",
            limit = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        unapplied.values(self.session().await?.conn()).await
    }

    async fn rules(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<(SpendingRules, i64)>, StoreError> {
        let rules = sql!(
            "SELECT low_balance_threshold_micros, daily_spending_limit_micros, spending_version \
             FROM organizations WHERE id = {organization}",
            organization,
        );
        let found: Option<RulesRow> = rules.row(self.session().await?.conn()).await?;
        Ok(found.map(|row| {
            let rules = SpendingRules {
                low_balance_threshold: row.low_balance_threshold_micros,
                daily_limit: row.daily_spending_limit_micros,
            };
            (rules, row.spending_version)
        }))
    }

    async fn apply(
        &self,
        organization: Id<Organization>,
        rules: SpendingRules,
        version: i64,
    ) -> Result<bool, StoreError> {
        let apply = sql!(
            "WITH changed AS ( \
                UPDATE wallets SET low_balance_micros = rules.threshold, \
                    daily_limit_micros = rules.daily_limit, spending_version = rules.version, \
                    is_low = is_low AND rules.threshold IS NOT NULL \
                FROM (SELECT {threshold}::bigint, {daily_limit}::bigint, {version}::bigint) \
                    AS rules (threshold, daily_limit, version) \
                WHERE organization_id = {organization} AND spending_version < rules.version \
             ) SELECT EXISTS (SELECT FROM wallets WHERE organization_id = {organization})",
            threshold = rules.low_balance_threshold,
            daily_limit = rules.daily_limit,
            version,
            organization,
        );
        apply.only(self.session().await?.conn()).await
    }

    async fn mark_applied(
        &self,
        organization: Id<Organization>,
        version: i64,
    ) -> Result<(), StoreError> {
        let mark = sql!(
            "UPDATE organizations SET spending_applied = {version} \
             WHERE id = {organization} AND spending_applied < {version}",
            version,
            organization,
        );
        mark.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}
