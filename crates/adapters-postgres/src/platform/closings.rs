//! Closings of organizations, and the erasure that follows.

mod erasure;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::{BigInt, Bool, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::{
    identity::organization::Organization, messaging::message::CampaignId,
    platform::closing::Closing, shared::id::Id,
};
use ports::{platform::closings::ClosingRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Organization, owner, true if the balance was given up, and time.
type ClosingTypes = (SqlUuid, SqlUuid, Bool, Timestamptz);
type ClosingRow = (Uuid, Uuid, bool, DateTime<Utc>);

#[async_trait]
impl ClosingRepository for PgStore {
    async fn insert(&self, closing: &Closing) -> Result<(), StoreError> {
        let insert = Statement::new(&[INSERT])
            .bind::<SqlUuid, _>(closing.organization.uuid())
            .bind::<SqlUuid, _>(closing.closed_by.uuid())
            .bind::<Bool, _>(closing.forfeits)
            .bind::<Timestamptz, _>(closing.at);
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn unsettled(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<Closing>, StoreError> {
        let query = Statement::<ClosingTypes>::returning(&[UNSETTLED])
            .bind::<Nullable<SqlUuid>, _>(after.map(Id::uuid))
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let rows: Vec<ClosingRow> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let closing = |(organization, closed_by, forfeits, at): ClosingRow| Closing {
            organization: organization.into(),
            closed_by: closed_by.into(),
            forfeits,
            at,
        };
        Ok(rows.into_iter().map(closing).collect())
    }

    async fn mark_settled(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        let update = Statement::new(&[MARK_SETTLED]).bind::<SqlUuid, _>(organization.uuid());
        update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        closed_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let delete = Statement::new(&[DELETE])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Timestamptz, _>(closed_at);
        delete.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn running_campaigns(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<CampaignId>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[RUNNING_CAMPAIGNS])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let ids: Vec<Uuid> = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(ids.into_iter().map(Id::of).collect())
    }
}

const INSERT: &str = "\
    INSERT INTO organization_closings (organization_id, closed_by, forfeits, closed_at) \
    VALUES (?, ?, ?, ?) \
    ON CONFLICT (organization_id) DO UPDATE SET closed_by = EXCLUDED.closed_by, \
        forfeits = EXCLUDED.forfeits, closed_at = EXCLUDED.closed_at, settled_at = NULL";

const UNSETTLED: &str = "\
    SELECT organization_id, closed_by, forfeits, closed_at FROM organization_closings \
    WHERE settled_at IS NULL \
        AND organization_id > coalesce(?, '00000000-0000-0000-0000-000000000000'::uuid) \
    ORDER BY organization_id LIMIT ?";

const MARK_SETTLED: &str = "\
    UPDATE organization_closings SET settled_at = now() WHERE organization_id = ?";

const DELETE: &str = "\
    DELETE FROM organization_closings \
    WHERE organization_id = ? AND closed_at <= ? AND erasing_since IS NULL";

/// Reads the campaigns of the organization by its key: there are at most some thousands, and this
/// happens when one is closed.
const RUNNING_CAMPAIGNS: &str = "\
    SELECT id FROM campaigns \
    WHERE organization_id = ? AND status IN ('SCHEDULED', 'PENDING_APPROVAL', 'SENDING', 'PAUSED') \
    ORDER BY id LIMIT ?";
