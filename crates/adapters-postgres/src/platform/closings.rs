//! Closings of organizations, and the erasure that follows.

mod erasure;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization, messaging::message::CampaignId,
    platform::closing::Closing, shared::id::Id,
};
use ports::{platform::closings::ClosingRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    struct ClosingRow {
        organization_id: Id<Organization>,
        closed_by: Uuid,
        /// True if the balance was given up.
        forfeits: bool,
        closed_at: DateTime<Utc>,
    }
}

#[async_trait]
impl ClosingRepository for PgStore {
    async fn insert(&self, closing: &Closing) -> Result<(), StoreError> {
        let insert = sql!(
            "INSERT INTO organization_closings (organization_id, closed_by, forfeits, closed_at) \
             VALUES ({organization}, {closed_by}, {forfeits}, {closed_at}) \
             ON CONFLICT (organization_id) DO UPDATE SET closed_by = EXCLUDED.closed_by, \
                forfeits = EXCLUDED.forfeits, closed_at = EXCLUDED.closed_at, settled_at = NULL",
            organization = closing.organization,
            closed_by = closing.closed_by,
            forfeits = closing.forfeits,
            closed_at = closing.at,
        );
        insert.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn unsettled(
        &self,
        after: Option<Id<Organization>>,
        limit: usize,
    ) -> Result<Vec<Closing>, StoreError> {
        let unsettled = sql!(
            "SELECT organization_id, closed_by, forfeits, closed_at FROM organization_closings \
             WHERE settled_at IS NULL \
                AND organization_id > \
                    coalesce({after}, '00000000-0000-0000-0000-000000000000'::uuid) \
             ORDER BY organization_id LIMIT {most}",
            after,
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<ClosingRow> = unsettled.rows(self.session().await?.conn()).await?;
        let closing = |row: ClosingRow| Closing {
            organization: row.organization_id,
            closed_by: row.closed_by.into(),
            forfeits: row.forfeits,
            at: row.closed_at,
        };
        Ok(rows.into_iter().map(closing).collect())
    }

    async fn mark_settled(&self, organization: Id<Organization>) -> Result<(), StoreError> {
        let update = sql!(
            "UPDATE organization_closings SET settled_at = now() \
             WHERE organization_id = {organization}",
            organization,
        );
        update.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        closed_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let delete = sql!(
            "DELETE FROM organization_closings \
             WHERE organization_id = {organization} AND closed_at <= {closed_at} \
                AND erasing_since IS NULL",
            organization,
            closed_at,
        );
        delete.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn running_campaigns(
        &self,
        organization: Id<Organization>,
        limit: usize,
    ) -> Result<Vec<CampaignId>, StoreError> {
        // Reads the campaigns of the organization by its key: there are at most some thousands, and
        // this happens when one is closed.
        let running = sql!(
            "SELECT id FROM campaigns \
             WHERE organization_id = {organization} \
                AND status IN ('SCHEDULED', 'PENDING_APPROVAL', 'SENDING', 'PAUSED') \
             ORDER BY id LIMIT {most}",
            organization,
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        running.values(self.session().await?.conn()).await
    }
}
