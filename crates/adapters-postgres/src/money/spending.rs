//! Spending limits of organizations, stored with their wallets.

use async_trait::async_trait;
use diesel::{
    prelude::*,
    sql_types::{BigInt, Bool, Nullable, Uuid as SqlUuid},
};
use domain::{
    identity::{organization::Organization, spending::SpendingRules},
    shared::{id::Id, money::Money},
};
use ports::{money::spending::SpendingRulesStore, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

#[async_trait]
impl SpendingRulesStore for PgStore {
    async fn unapplied(&self, limit: usize) -> Result<Vec<Id<Organization>>, StoreError> {
        let unapplied = Statement::<SqlUuid>::returning(&[UNAPPLIED])
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let ids: Vec<Uuid> =
            unapplied.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(ids.into_iter().map(Id::of).collect())
    }

    async fn rules(
        &self,
        organization: Id<Organization>,
    ) -> Result<Option<(SpendingRules, i64)>, StoreError> {
        type Row = (Nullable<BigInt>, Nullable<BigInt>, BigInt);
        let rules = Statement::<Row>::returning(&[RULES]).bind::<SqlUuid, _>(organization.uuid());
        let found: Option<(Option<i64>, Option<i64>, i64)> =
            rules.get_result(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(found.map(|(threshold, limit, version)| {
            let low_balance_threshold = threshold.map(Money::from_micros);
            let daily_limit = limit.map(Money::from_micros);
            (SpendingRules { low_balance_threshold, daily_limit }, version)
        }))
    }

    async fn apply(
        &self,
        organization: Id<Organization>,
        rules: SpendingRules,
        version: i64,
    ) -> Result<bool, StoreError> {
        Statement::<Bool>::returning(&[APPLY])
            .bind::<Nullable<BigInt>, _>(rules.low_balance_threshold.map(Money::micros))
            .bind::<Nullable<BigInt>, _>(rules.daily_limit.map(Money::micros))
            .bind::<BigInt, _>(version)
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .get_result(self.session().await?.conn())
            .await
            .map_err(store_error)
    }

    async fn mark_applied(
        &self,
        organization: Id<Organization>,
        version: i64,
    ) -> Result<(), StoreError> {
        Statement::new(&[MARK_APPLIED])
            .bind::<BigInt, _>(version)
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(version)
            .execute(self.session().await?.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

const UNAPPLIED: &str = "\
    SELECT id FROM organizations WHERE spending_applied <> spending_version ORDER BY id LIMIT ?";

const RULES: &str = "\
    SELECT low_balance_threshold_micros, daily_spending_limit_micros, spending_version \
    FROM organizations WHERE id = ?";

const APPLY: &str = "\
    WITH changed AS ( \
        UPDATE wallets SET low_balance_micros = rules.threshold, daily_limit_micros = rules.daily_limit, \
            spending_version = rules.version, is_low = is_low AND rules.threshold IS NOT NULL \
        FROM (SELECT ?::bigint, ?::bigint, ?::bigint) AS rules (threshold, daily_limit, version) \
        WHERE organization_id = ? AND spending_version < rules.version \
    ) SELECT EXISTS (SELECT FROM wallets WHERE organization_id = ?)";

const MARK_APPLIED: &str = "\
    UPDATE organizations SET spending_applied = ? WHERE id = ? AND spending_applied < ?";
