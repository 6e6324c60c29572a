//! Usage of organizations' limits.

use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::sql_types::{BigInt, Bool, Date, Nullable, Uuid as SqlUuid};
use domain::{
    identity::organization::{Holdings, Organization, Usage},
    shared::{id::Id, money::Money},
};
use ports::{platform::organization_limits::UsageRepository, shared::store::StoreError};

use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

type Counts = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
type CountsRow = (i64, i64, i64, i64, i64, i64, i64, i64);
type Held = (Bool, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
type HeldRow = (bool, i64, i64, i64, i64, i64, i64, i64, i64);

#[async_trait]
impl UsageRepository for PgStore {
    async fn usage(&self, organization: Id<Organization>) -> Result<Usage, StoreError> {
        let read = Statement::<(BigInt, Nullable<Date>, Counts)>::returning(&[READ])
            .bind::<SqlUuid, _>(organization.uuid());
        let (spent, spent_on, counts): (i64, Option<NaiveDate>, CountsRow) =
            read.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(Usage {
            spent: Money::from_micros(spent),
            spent_on,
            webhook_endpoints: counts.0.unsigned_abs(),
            sender_names: counts.1.unsigned_abs(),
            segments: counts.2.unsigned_abs(),
            events: counts.3.unsigned_abs(),
            unfinished_campaigns: counts.4.unsigned_abs(),
            contact_imports: counts.5.unsigned_abs(),
            suppression_imports: counts.6.unsigned_abs(),
            open_invoices: counts.7.unsigned_abs(),
        })
    }

    async fn holdings(&self, organization: Id<Organization>) -> Result<Holdings, StoreError> {
        let read =
            Statement::<Held>::returning(&[READ_HOLDINGS]).bind::<SqlUuid, _>(organization.uuid());
        let held: HeldRow =
            read.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(Holdings {
            has_paid: held.0,
            contacts: held.1.unsigned_abs(),
            contact_bytes: held.2.unsigned_abs(),
            suppressions: held.3.unsigned_abs(),
            templates: held.4.unsigned_abs(),
            template_bytes: held.5.unsigned_abs(),
            pending_approvals: held.6.unsigned_abs(),
            daily_approvals: held.7.unsigned_abs(),
            daily_imports: held.8.unsigned_abs(),
        })
    }
}

/// Each count is limited to some hundreds per organization.
const READ: &str = "\
    WITH given AS (SELECT ARRAY[?::uuid] AS ids), \
    waiting AS ( \
        SELECT kind FROM given JOIN imports ON organization_id = ANY(ids) \
            AND status IN ('UPLOADING', 'QUEUED', 'PROCESSING') \
            AND (status <> 'UPLOADING' OR created_at > now() - interval '15 minutes') \
    ) \
    SELECT coalesce((SELECT spent_micros FROM wallets WHERE organization_id = ANY(ids)), 0), \
        (SELECT spent_on FROM wallets WHERE organization_id = ANY(ids)), \
        (SELECT count(*) FROM webhook_endpoints WHERE organization_id = ANY(ids) AND is_active), \
        (SELECT count(*) FROM sender_names WHERE organization_id = ANY(ids) AND deleted_at IS NULL), \
        (SELECT count(*) FROM segments WHERE organization_id = ANY(ids)), \
        (SELECT count(*) FROM events WHERE organization_id = ANY(ids) AND deleted_at IS NULL), \
        coalesce((SELECT unfinished FROM campaign_totals WHERE organization_id = ANY(ids)), 0), \
        (SELECT count(*) FROM waiting WHERE kind = 'CONTACTS'), \
        (SELECT count(*) FROM waiting WHERE kind = 'SUPPRESSIONS'), \
        (SELECT count(*) FROM invoices WHERE organization_id = ANY(ids) AND status = 'OPEN') \
    FROM given";

/// The number of rows counted here is limited to some hundreds per organization, except approvals,
/// and imports of the last day from before there was a limit.
const READ_HOLDINGS: &str = "\
    WITH given AS (SELECT ARRAY[?::uuid] AS ids, uuid_floor(now() - interval '24 hours') AS day) \
    SELECT EXISTS (SELECT FROM wallet_credits \
            WHERE organization_id = ANY(ids) AND kind IN ('TOP_UP', 'MANUAL_CREDIT')), \
        coalesce((SELECT contacts FROM contact_counts WHERE organization_id = ANY(ids)), 0), \
        coalesce((SELECT bytes FROM contact_counts WHERE organization_id = ANY(ids)), 0), \
        coalesce((SELECT entries FROM suppression_counts WHERE organization_id = ANY(ids)), 0), \
        coalesce((SELECT templates FROM template_counts WHERE organization_id = ANY(ids)), 0), \
        coalesce((SELECT bytes FROM template_counts WHERE organization_id = ANY(ids)), 0), \
        (SELECT count(*) FROM approvals WHERE organization_id = ANY(ids) AND closed_at IS NULL \
            AND kind <> 'SENDER_NAME'), \
        (SELECT count(*) FROM approvals WHERE organization_id = ANY(ids) AND id >= day \
            AND kind <> 'SENDER_NAME'), \
        (SELECT count(*) FROM imports WHERE organization_id = ANY(ids) AND id >= day) \
    FROM given";
