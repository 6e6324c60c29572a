//! Work on exports: leases, and the parts of files.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::prelude::*;
use domain::{
    messaging::{
        job::Lease,
        log_export::{KEPT, LogExport, LogExportFailure},
    },
    shared::id::Id,
};
use ports::{
    messaging::log_exports::{Appended, ExportedLines, LeasedLogExport, LogExportQueue},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{compression::compress, row::ExportRow};
use crate::shared::{
    database::session::PgStore,
    error::store_error,
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::log_exports,
};

/// Duration of a lease in seconds: longer than a turn takes.
const LEASE_SECONDS: i64 = 60;

row! {
    struct ClaimedRow {
        organization_id: Uuid,
        id: Uuid,
        lease: Uuid,
    }
}

/// Parts of a file in their stored form.
struct StoredParts {
    numbers: Vec<i32>,
    bytes: Vec<Vec<u8>>,
}

#[async_trait]
impl LogExportQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedLogExport>, StoreError> {
        let claim = sql!(CLAIM, instance = self.lease_prefix(), lease_seconds = LEASE_SECONDS);
        let mut session = self.session().await?;
        let claimed: Option<ClaimedRow> = claim.row(session.conn()).await?;
        let Some(ClaimedRow { organization_id, id, lease }) = claimed else { return Ok(None) };
        let query = ExportRow::query()
            .filter(log_exports::organization_id.eq(organization_id))
            .filter(log_exports::id.eq(id))
            .filter(log_exports::lease.eq(lease));
        let found: Option<ExportRow> =
            query.first(session.conn()).await.optional().map_err(store_error)?;
        // Its member may have deleted it meanwhile.
        let Some(row) = found else { return Ok(None) };
        let (position, parts) = (row.position.map(Id::of), row.part_count.unsigned_abs());
        let (stored, failures) = (row.stored_bytes.unsigned_abs(), row.failures.unsigned_abs());
        let LogExport { organization, id, filter, .. } = row.try_into()?;
        let lease = Lease(lease);
        let leased =
            LeasedLogExport { organization, id, filter, position, parts, stored, failures, lease };
        Ok(Some(leased))
    }

    async fn append(
        &self,
        leased: &LeasedLogExport,
        lines: &ExportedLines,
        most: u64,
    ) -> Result<Appended, StoreError> {
        let parts = StoredParts::of(leased.parts, lines)?;
        let stored = parts.size();
        if leased.stored.saturating_add(stored) > most {
            return Ok(Appended::TooLarge);
        }
        let mut transaction = self.transaction().await?;
        let hold = sql!(
            "SELECT id FROM log_exports \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease} FOR UPDATE",
            organization = leased.organization,
            id = leased.id,
            lease = leased.lease.0,
        );
        let held: Option<Uuid> = hold.value(transaction.conn()).await?;
        if held.is_none() {
            return Ok(Appended::Done);
        }
        let written: usize = lines.parts.iter().map(String::len).sum();
        let advance = sql!(
            ADVANCE,
            next = lines.next,
            rows = i64::try_from(lines.rows).unwrap_or(i64::MAX),
            written = i64::try_from(written).unwrap_or(i64::MAX),
            stored = i64::try_from(stored).unwrap_or(i64::MAX),
            parts = i32::try_from(parts.bytes.len()).unwrap_or(i32::MAX),
            is_last = lines.next.is_none(),
            kept_seconds = KEPT.num_seconds(),
            organization = leased.organization,
            id = leased.id,
            lease = leased.lease.0,
        );
        let add = sql!(
            "INSERT INTO log_export_parts (organization_id, export_id, number, bytes) \
             SELECT {organization}::uuid, {id}::uuid, number, bytes \
             FROM UNNEST({numbers}::integer[], {bytes}::bytea[]) AS part (number, bytes)",
            organization = leased.organization,
            id = leased.id,
            numbers = parts.numbers,
            bytes = parts.bytes,
        );
        add.execute(transaction.conn()).await?;
        advance.execute(transaction.conn()).await?;
        transaction.commit().await?;
        Ok(Appended::Done)
    }

    async fn fail(
        &self,
        leased: &LeasedLogExport,
        failure: LogExportFailure,
    ) -> Result<(), StoreError> {
        let fail = sql!(
            FAIL,
            failure = failure.as_str(),
            kept_seconds = KEPT.num_seconds(),
            organization = leased.organization,
            id = leased.id,
            lease = leased.lease.0,
        );
        fail.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn put_off(&self, leased: &LeasedLogExport, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = sql!(
            "UPDATE log_exports SET lease = NULL, failures = failures + 1, \
                due_at = now() + make_interval(secs => {millis}::bigint / 1000.0) \
             WHERE organization_id = {organization} AND id = {id} AND lease = {lease}",
            millis = delay.num_milliseconds(),
            organization = leased.organization,
            id = leased.id,
            lease = leased.lease.0,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

impl StoredParts {
    /// Compresses lines. Their parts are numbered from `first`.
    fn of(first: u32, lines: &ExportedLines) -> Result<Self, StoreError> {
        let mut parts = Self { numbers: Vec::new(), bytes: Vec::new() };
        for (number, text) in (first..).zip(&lines.parts) {
            let bytes = compress(text).map_err(|error| StoreError::Internal(error.into()))?;
            parts.numbers.push(i32::try_from(number).unwrap_or(i32::MAX));
            parts.bytes.push(bytes);
        }
        Ok(parts)
    }

    /// Returns their size in bytes.
    fn size(&self) -> u64 {
        let size: usize = self.bytes.iter().map(Vec::len).sum();
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}

/// A turn moves its export to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM log_exports \
        WHERE kept_until IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE log_exports export SET lease = lease_of({instance}), \
        due_at = now() + make_interval(secs => {lease_seconds}::bigint) \
    FROM next \
    WHERE export.organization_id = ANY(ARRAY[next.organization_id]) \
        AND export.id = ANY(ARRAY[next.id]) \
    RETURNING export.organization_id, export.id, export.lease";

const ADVANCE: &str = "\
    UPDATE log_exports SET position = {next}, row_count = row_count + {rows}, \
        byte_count = byte_count + {written}, stored_bytes = stored_bytes + {stored}, \
        part_count = part_count + {parts}, failures = 0, lease = NULL, due_at = now(), \
        status = CASE WHEN {is_last} THEN 'READY' ELSE status END, \
        kept_until = CASE WHEN {is_last} \
            THEN now() + make_interval(secs => {kept_seconds}::bigint) END \
    WHERE organization_id = {organization} AND id = {id} AND lease = {lease}";

/// The rows that were written stay counted, for they say how far it came.
const FAIL: &str = "\
    WITH failed AS ( \
        UPDATE log_exports SET status = 'FAILED', failure = {failure}, position = NULL, byte_count = 0, \
            stored_bytes = 0, part_count = 0, lease = NULL, \
            kept_until = now() + make_interval(secs => {kept_seconds}::bigint) \
        WHERE organization_id = {organization} AND id = {id} AND lease = {lease} \
        RETURNING organization_id, id \
    ) \
    DELETE FROM log_export_parts part USING failed \
    WHERE part.organization_id = ANY(ARRAY[failed.organization_id]) \
        AND part.export_id = ANY(ARRAY[failed.id])";
