//! Campaigns whose messages are held back, and the jobs that wait for them or for suspended
//! organizations.

use async_trait::async_trait;
use domain::messaging::message::CampaignId;
use domain::{identity::organization::Organization, messaging::hold::CampaignHold, shared::id::Id};
use ports::{outreach::held_campaigns::HeldCampaigns, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    query::{row::row, sql::sql},
};

/// Maximum number of campaigns served in a release of jobs.
const CAMPAIGNS: i64 = 64;
/// Maximum number of jobs of a campaign released at a time: few enough not to delay others.
const JOBS: i64 = 1_000;

row! {
    struct HeldRow {
        id: CampaignId,
        is_paused: bool,
    }
}

row! {
    /// Campaign, or organization, for which jobs wait no longer.
    struct OverRow {
        organization_id: Uuid,
        held_by: Uuid,
        /// True if messages of the campaign are sent again.
        goes_on: bool,
    }
}

/// Jobs are released through a store for writers.
#[async_trait]
impl HeldCampaigns for PgStore {
    async fn held(&self) -> Result<Vec<(CampaignId, CampaignHold)>, StoreError> {
        // Reads the index `campaigns_held`, which is used by this statement alone.
        let query = sql!(
            "SELECT id, status = 'PAUSED' AS is_paused FROM campaigns WHERE settled_at IS NULL \
                AND (status = 'CANCELLED' OR status = 'PAUSED' AND paused_reason = 'USER')"
        );
        let rows: Vec<HeldRow> = query.rows(self.session().await?.conn()).await?;
        let held = rows.into_iter().map(|HeldRow { id, is_paused }| {
            let hold = if is_paused { CampaignHold::Paused } else { CampaignHold::Cancelled };
            (id, hold)
        });
        Ok(held.collect())
    }

    async fn release(&self, suspended: &[Id<Organization>]) -> Result<usize, StoreError> {
        let mut session = self.session().await?;
        let over = sql!(OVER, suspended, most = CAMPAIGNS);
        let over: Vec<OverRow> = over.rows(session.conn()).await?;
        let mut released = 0;
        for row in over {
            released += release(session.conn(), &row).await?;
        }
        Ok(released)
    }
}

async fn release(conn: &Connection, over: &OverRow) -> Result<usize, StoreError> {
    let release = sql!(
        RELEASE,
        organization = over.organization_id,
        held_by = over.held_by,
        goes_on = over.goes_on,
        most = JOBS,
    );
    let released: i64 = release.only(conn).await?;
    Ok(usize::try_from(released).unwrap_or_default())
}

/// Walks from one campaign, or organization, for which jobs wait to the next, and finds those that
/// are no longer paused, or suspended. Some jobs of a campaign that continues may still wait: until
/// their quiet hours end. The jobs of an organization become due as they were, like those of a
/// cancelled campaign.
const OVER: &str = "\
    WITH RECURSIVE waiting AS ( \
        (SELECT organization_id, held_by FROM delivery_jobs WHERE held_by IS NOT NULL \
        ORDER BY organization_id, held_by LIMIT 1) \
        UNION ALL \
        SELECT next.organization_id, next.held_by FROM waiting CROSS JOIN LATERAL ( \
            SELECT organization_id, held_by FROM delivery_jobs job WHERE held_by IS NOT NULL \
                AND (job.organization_id, job.held_by) > (waiting.organization_id, waiting.held_by) \
            ORDER BY organization_id, held_by LIMIT 1) AS next \
    ), known AS ( \
        SELECT waiting.*, coalesce(campaign.status <> 'CANCELLED', false) AS goes_on, \
            coalesce(campaign.status = 'PAUSED' AND campaign.paused_reason = 'USER', false) AS is_paused \
        FROM waiting LEFT JOIN campaigns campaign \
            ON campaign.organization_id = ANY(ARRAY[waiting.organization_id]) \
                AND campaign.id = waiting.held_by \
    ) \
    SELECT organization_id, held_by, goes_on FROM known WHERE NOT is_paused \
        AND NOT (held_by = organization_id AND held_by = ANY({suspended}::uuid[])) \
        AND (NOT goes_on OR EXISTS (SELECT FROM delivery_jobs job WHERE job.held_by = known.held_by \
            AND job.organization_id = known.organization_id AND job.due_at = 'infinity')) \
    LIMIT {most}";

const RELEASE: &str = "\
    WITH chosen AS MATERIALIZED ( \
        SELECT job.organization_id, job.id FROM delivery_jobs job \
        WHERE job.organization_id = {organization} AND job.held_by = {held_by} \
            AND job.due_at >= CASE WHEN {goes_on} THEN timestamptz 'infinity' ELSE '-infinity' END \
        LIMIT {most} FOR UPDATE SKIP LOCKED \
    ), released AS ( \
        UPDATE delivery_jobs job SET held_by = NULL, is_ready = true, due_at = now() FROM chosen \
        WHERE job.organization_id = ANY(ARRAY[chosen.organization_id]) AND job.id = chosen.id \
        RETURNING job.organization_id, job.id \
    ), renewed AS ( \
        UPDATE delivery_logs log SET valid_from = now(), \
            expires_at = now() + (log.expires_at - coalesce(log.valid_from, log.created_at)) \
        FROM released WHERE {goes_on}::boolean \
            AND released.organization_id = ANY(ARRAY[log.organization_id]) \
            AND log.id = ANY(ARRAY[released.id]) AND log.status = 'QUEUED' \
    ) SELECT count(*) FROM released";
