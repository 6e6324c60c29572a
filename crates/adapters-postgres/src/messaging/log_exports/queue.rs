//! Work on exports: leases, and the parts of files.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text, Uuid as SqlUuid},
};
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
    query::{run_query::RunQueryDsl, statement::Statement},
    schema::log_exports,
};

/// Duration of a lease in seconds: longer than a turn takes.
const LEASE_SECONDS: i64 = 60;

/// Parts of a file in their stored form.
struct StoredParts {
    numbers: Vec<i32>,
    bytes: Vec<Vec<u8>>,
}

#[async_trait]
impl LogExportQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedLogExport>, StoreError> {
        let claim = Statement::<(SqlUuid, SqlUuid, SqlUuid)>::returning(&[CLAIM])
            .bind::<Nullable<Text>, _>(self.lease_prefix())
            .bind::<BigInt, _>(LEASE_SECONDS);
        let mut session = self.session().await?;
        let claimed: Option<(Uuid, Uuid, Uuid)> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some((organization, id, lease)) = claimed else { return Ok(None) };
        let query = ExportRow::query()
            .filter(log_exports::organization_id.eq(organization))
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
        let hold = of_leased(Statement::<SqlUuid>::returning(&[HOLD]), leased);
        let held: Option<Uuid> =
            hold.get_result(transaction.conn()).await.optional().map_err(store_error)?;
        if held.is_none() {
            return Ok(Appended::Done);
        }
        let is_last = lines.next.is_none();
        let written: usize = lines.parts.iter().map(String::len).sum();
        let advance = Statement::new(&[ADVANCE])
            .bind::<Nullable<SqlUuid>, _>(lines.next.map(Id::uuid))
            .bind::<BigInt, _>(i64::try_from(lines.rows).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(i64::try_from(written).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(i64::try_from(stored).unwrap_or(i64::MAX))
            .bind::<Integer, _>(i32::try_from(parts.bytes.len()).unwrap_or(i32::MAX))
            .bind::<Bool, _>(is_last)
            .bind::<Bool, _>(is_last)
            .bind::<BigInt, _>(KEPT.num_seconds());
        let add = Statement::new(&[ADD_PARTS])
            .bind::<SqlUuid, _>(leased.organization.uuid())
            .bind::<SqlUuid, _>(leased.id.uuid())
            .bind::<Array<Integer>, _>(parts.numbers)
            .bind::<Array<Binary>, _>(parts.bytes);
        add.execute(transaction.conn()).await.map_err(store_error)?;
        let advance = of_leased(advance, leased);
        advance.execute(transaction.conn()).await.map_err(store_error)?;
        transaction.commit().await?;
        Ok(Appended::Done)
    }

    async fn fail(
        &self,
        leased: &LeasedLogExport,
        failure: LogExportFailure,
    ) -> Result<(), StoreError> {
        let fail = Statement::new(&[FAIL])
            .bind::<Text, _>(failure.as_str())
            .bind::<BigInt, _>(KEPT.num_seconds());
        let fail = of_leased(fail, leased);
        fail.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn put_off(&self, leased: &LeasedLogExport, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = Statement::new(&[PUT_OFF]).bind::<BigInt, _>(delay.num_milliseconds());
        let put_off = of_leased(put_off, leased);
        put_off.execute(self.session().await?.conn()).await.map_err(store_error)?;
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

/// Binds the key and the lease of an export.
fn of_leased<'v, ST>(statement: Statement<'v, ST>, leased: &LeasedLogExport) -> Statement<'v, ST> {
    statement
        .bind::<SqlUuid, _>(leased.organization.uuid())
        .bind::<SqlUuid, _>(leased.id.uuid())
        .bind::<SqlUuid, _>(leased.lease.0)
}

/// A turn moves its export to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM log_exports \
        WHERE kept_until IS NULL AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE log_exports export SET lease = lease_of(?), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE export.organization_id = ANY(ARRAY[next.organization_id]) \
        AND export.id = ANY(ARRAY[next.id]) \
    RETURNING export.organization_id, export.id, export.lease";

const HOLD: &str = "\
    SELECT id FROM log_exports WHERE organization_id = ? AND id = ? AND lease = ? FOR UPDATE";

const ADD_PARTS: &str = "\
    INSERT INTO log_export_parts (organization_id, export_id, number, bytes) \
    SELECT ?, ?, number, bytes FROM UNNEST(?, ?) AS part (number, bytes)";

const ADVANCE: &str = "\
    UPDATE log_exports SET position = ?, row_count = row_count + ?, byte_count = byte_count + ?, \
        stored_bytes = stored_bytes + ?, part_count = part_count + ?, failures = 0, lease = NULL, \
        due_at = now(), status = CASE WHEN ? THEN 'READY' ELSE status END, \
        kept_until = CASE WHEN ? THEN now() + make_interval(secs => ?::bigint) END \
    WHERE organization_id = ? AND id = ? AND lease = ?";

/// The rows that were written stay counted, for they say how far it came.
const FAIL: &str = "\
    WITH failed AS ( \
        UPDATE log_exports SET status = 'FAILED', failure = ?, position = NULL, byte_count = 0, \
            stored_bytes = 0, part_count = 0, lease = NULL, \
            kept_until = now() + make_interval(secs => ?::bigint) \
        WHERE organization_id = ? AND id = ? AND lease = ? \
        RETURNING organization_id, id \
    ) \
    DELETE FROM log_export_parts part USING failed \
    WHERE part.organization_id = ANY(ARRAY[failed.organization_id]) \
        AND part.export_id = ANY(ARRAY[failed.id])";

const PUT_OFF: &str = "\
    UPDATE log_exports SET lease = NULL, failures = failures + 1, \
        due_at = now() + make_interval(secs => ?::bigint / 1000.0) \
    WHERE organization_id = ? AND id = ? AND lease = ?";
