//! Usage of organizations' limits.

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::{
    identity::organization::{Holdings, Organization, Usage},
    shared::{id::Id, money::Money},
};
use ports::{platform::organization_limits::UsageRepository, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    struct UsageRow {
        spent: Money,
        spent_on: Option<NaiveDate>,
        webhook_endpoints: i64,
        sender_names: i64,
        segments: i64,
        events: i64,
        unfinished_campaigns: i64,
        contact_imports: i64,
        suppression_imports: i64,
        open_invoices: i64,
    }
}

row! {
    struct HoldingsRow {
        has_paid: bool,
        contacts: i64,
        contact_bytes: i64,
        suppressions: i64,
        templates: i64,
        template_bytes: i64,
        pending_approvals: i64,
        daily_approvals: i64,
        daily_imports: i64,
    }
}

#[async_trait]
impl UsageRepository for PgStore {
    async fn usage(&self, organization: Id<Organization>) -> Result<Usage, StoreError> {
        let read = sql!(READ, organization);
        let row: UsageRow = read.only_row(self.session().await?.conn()).await?;
        Ok(Usage {
            spent: row.spent,
            spent_on: row.spent_on,
            webhook_endpoints: row.webhook_endpoints.unsigned_abs(),
            sender_names: row.sender_names.unsigned_abs(),
            segments: row.segments.unsigned_abs(),
            events: row.events.unsigned_abs(),
            unfinished_campaigns: row.unfinished_campaigns.unsigned_abs(),
            contact_imports: row.contact_imports.unsigned_abs(),
            suppression_imports: row.suppression_imports.unsigned_abs(),
            open_invoices: row.open_invoices.unsigned_abs(),
        })
    }

    async fn holdings(&self, organization: Id<Organization>) -> Result<Holdings, StoreError> {
        let read = sql!(READ_HOLDINGS, organization);
        let row: HoldingsRow = read.only_row(self.session().await?.conn()).await?;
        Ok(Holdings {
            has_paid: row.has_paid,
            contacts: row.contacts.unsigned_abs(),
            contact_bytes: row.contact_bytes.unsigned_abs(),
            suppressions: row.suppressions.unsigned_abs(),
            templates: row.templates.unsigned_abs(),
            template_bytes: row.template_bytes.unsigned_abs(),
            pending_approvals: row.pending_approvals.unsigned_abs(),
            daily_approvals: row.daily_approvals.unsigned_abs(),
            daily_imports: row.daily_imports.unsigned_abs(),
        })
    }
}

/// Each count is limited to some hundreds per organization.
const READ: &str = "\
    WITH given AS (SELECT ARRAY[{organization}::uuid] AS ids), \
    waiting AS ( \
        SELECT kind FROM given JOIN imports ON organization_id = ANY(ids) \
            AND status IN ('UPLOADING', 'QUEUED', 'PROCESSING') \
            AND (status <> 'UPLOADING' OR created_at > now() - interval '15 minutes') \
    ) \
    SELECT coalesce((SELECT spent_micros FROM wallets WHERE organization_id = ANY(ids)), 0) \
            AS spent, \
        (SELECT spent_on FROM wallets WHERE organization_id = ANY(ids)) AS spent_on, \
        (SELECT count(*) FROM webhook_endpoints WHERE organization_id = ANY(ids) AND is_active) \
            AS webhook_endpoints, \
        (SELECT count(*) FROM sender_names \
            WHERE organization_id = ANY(ids)) AS sender_names, \
        (SELECT count(*) FROM segments WHERE organization_id = ANY(ids)) AS segments, \
        (SELECT count(*) FROM events WHERE organization_id = ANY(ids)) \
            AS events, \
        coalesce((SELECT unfinished FROM campaign_totals WHERE organization_id = ANY(ids)), 0) \
            AS unfinished_campaigns, \
        (SELECT count(*) FROM waiting WHERE kind = 'CONTACTS') AS contact_imports, \
        (SELECT count(*) FROM waiting WHERE kind = 'SUPPRESSIONS') AS suppression_imports, \
        (SELECT count(*) FROM invoices WHERE organization_id = ANY(ids) AND status = 'OPEN') \
            AS open_invoices \
    FROM given";

/// The number of rows counted here is limited to some hundreds per organization, except approvals,
/// and imports of the last day from before there was a limit.
const READ_HOLDINGS: &str = "\
    WITH given AS (SELECT ARRAY[{organization}::uuid] AS ids, \
        uuid_floor(now() - interval '24 hours') AS day) \
    SELECT EXISTS (SELECT FROM wallet_credits \
            WHERE organization_id = ANY(ids) AND kind IN ('TOP_UP', 'MANUAL_CREDIT')) AS has_paid, \
        coalesce((SELECT contacts FROM contact_counts WHERE organization_id = ANY(ids)), 0) \
            AS contacts, \
        coalesce((SELECT bytes FROM contact_counts WHERE organization_id = ANY(ids)), 0) \
            AS contact_bytes, \
        coalesce((SELECT entries FROM suppression_counts WHERE organization_id = ANY(ids)), 0) \
            AS suppressions, \
        coalesce((SELECT templates FROM template_counts WHERE organization_id = ANY(ids)), 0) \
            AS templates, \
        coalesce((SELECT bytes FROM template_counts WHERE organization_id = ANY(ids)), 0) \
            AS template_bytes, \
        (SELECT count(*) FROM approvals WHERE organization_id = ANY(ids) AND closed_at IS NULL \
            AND kind <> 'SENDER_NAME') AS pending_approvals, \
        (SELECT count(*) FROM approvals WHERE organization_id = ANY(ids) AND id >= day \
            AND kind <> 'SENDER_NAME') AS daily_approvals, \
        (SELECT count(*) FROM imports WHERE organization_id = ANY(ids) AND id >= day) \
            AS daily_imports \
    FROM given";
