//! Processing of imports: claims, and results.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::{
        contact::Consent,
        import::{
            Chunk, ContactPlan, ContactRow, ImportStatus, Layout, Row, RowError, SuppressionPlan,
        },
        suppression::Suppression,
    },
    messaging::job::Lease,
    shared::{address::Address, category::Category, channel::Channel},
};
use ports::{
    audience::imports::{ImportQueue, LeasedChunk},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::{ErrorColumns, completion, contact_writes, failed::Failed, integer};
use crate::shared::{
    database::{
        connection::Connection,
        session::{PgSession, PgStore},
    },
    query::{row::row, sql::sql},
};

row! {
    struct ClaimedRow {
        organization_id: Uuid,
        id: Uuid,
        lease: Uuid,
        kind: String,
        delimiter: String,
        encoding: String,
        header: Vec<String>,
        labels: Vec<String>,
        failures: i32,
        consent_source: Option<String>,
        /// Time of the upload.
        created_at: DateTime<Utc>,
    }
}

row! {
    struct ChunkRow {
        number: i32,
        first_row: i32,
        bytes: Vec<u8>,
    }
}

impl From<ChunkRow> for Chunk {
    fn from(row: ChunkRow) -> Self {
        Self {
            number: row.number.unsigned_abs(),
            first_row: row.first_row.unsigned_abs(),
            rows: 0,
            bytes: row.bytes,
        }
    }
}

/// Result of a part.
struct Outcome {
    created: u32,
    updated: u32,
    /// Number of accepted rows whose phone is a fixed line.
    fixed_lines: u32,
    /// Rows that were rejected.
    errors: Vec<RowError>,
    /// Cells that were left out of accepted rows.
    remarks: Vec<RowError>,
}

#[async_trait]
impl ImportQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedChunk>, StoreError> {
        let mut session = self.session().await?;
        let claim = sql!(CLAIM, lease_prefix = self.lease_prefix(), seconds = LEASE_SECONDS);
        let claimed: Option<ClaimedRow> = claim.row(session.conn()).await?;
        let Some(claimed) = claimed else { return Ok(None) };
        let (organization, import) = (claimed.organization_id, claimed.id);
        let first_two = sql!(
            "SELECT number, first_row, bytes FROM import_chunks \
             WHERE organization_id = {organization} AND import_id = {import} \
             ORDER BY number LIMIT 2",
            organization,
            import,
        );
        let chunks: Vec<ChunkRow> = first_two.rows(session.conn()).await?;
        let mut chunks = chunks.into_iter().map(Chunk::from);
        let (chunk, next) = (chunks.next(), chunks.next());
        let lease = Lease(claimed.lease);
        let layout = claimed.delimiter.parse().ok().zip(claimed.encoding.parse().ok());
        let kind = claimed.kind.parse();
        let (Some(chunk), Some((delimiter, encoding)), Ok(kind)) = (chunk, layout, kind) else {
            let failed = Failed { organization, import, lease, row: 1 };
            failed.write(session.conn(), "the rest of the file is lost").await?;
            return Ok(None);
        };
        Ok(Some(LeasedChunk {
            import: import.into(),
            organization: organization.into(),
            kind,
            layout: Layout { delimiter, encoding, header: claimed.header, labels: claimed.labels },
            chunk,
            next,
            consent: claimed
                .consent_source
                .map(|source| Consent { at: claimed.created_at, source }),
            failures: claimed.failures.unsigned_abs(),
            lease,
        }))
    }

    async fn write_contacts(
        &self,
        chunk: &LeasedChunk,
        rows: &[Row<ContactRow>],
    ) -> Result<(), StoreError> {
        let mut session = contact_writes::begin(self).await?;
        if !is_held(session.conn(), chunk).await? {
            return Ok(());
        }
        let plan = contact_writes::write(session.conn(), chunk, rows).await?;
        let ContactPlan { created, updated, fixed_lines, errors, remarks, .. } = plan;
        finish(session, chunk, Outcome { created, updated, fixed_lines, errors, remarks }).await
    }

    async fn write_suppressions(
        &self,
        chunk: &LeasedChunk,
        plan: &SuppressionPlan,
    ) -> Result<(), StoreError> {
        let mut session = self.transaction().await?;
        if !is_held(session.conn(), chunk).await? {
            return Ok(());
        }
        let created = write_suppressions(session.conn(), chunk, &plan.entries).await?;
        let rows = u32::try_from(plan.entries.len()).unwrap_or(u32::MAX) + plan.repeated;
        let updated = rows.saturating_sub(created);
        let (errors, remarks) = (plan.errors.clone(), plan.remarks.clone());
        let outcome = Outcome { created, updated, fixed_lines: 0, errors, remarks };
        finish(session, chunk, outcome).await
    }

    async fn put_off(&self, chunk: &LeasedChunk, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = sql!(
            "UPDATE imports SET lease = NULL, failures = failures + 1, \
                due_at = now() + make_interval(secs => {delay}::bigint / 1000.0) \
             WHERE organization_id = {organization} AND id = {import} AND lease = {lease}",
            delay = delay.num_milliseconds(),
            organization = chunk.organization,
            import = chunk.import,
            lease = chunk.lease.0,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn fail(&self, chunk: &LeasedChunk, reason: &str) -> Result<(), StoreError> {
        let failed = Failed {
            organization: chunk.organization.uuid(),
            import: chunk.import.uuid(),
            lease: chunk.lease,
            row: integer(chunk.chunk.first_row),
        };
        failed.write(self.session().await?.conn(), reason).await
    }
}

/// True if the lease is still held. Then nobody else can take it until the transaction ends.
async fn is_held(conn: &mut Connection, chunk: &LeasedChunk) -> Result<bool, StoreError> {
    let hold = sql!(
        "SELECT id FROM imports \
         WHERE organization_id = {organization} AND id = {import} AND lease = {lease} \
         FOR NO KEY UPDATE",
        organization = chunk.organization,
        import = chunk.import,
        lease = chunk.lease.0,
    );
    Ok(hold.value::<Uuid>(conn).await?.is_some())
}

/// Writes entries of the list, and returns the number of new ones.
async fn write_suppressions(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    entries: &[Suppression],
) -> Result<u32, StoreError> {
    let text = |address: &Option<Address>| address.as_ref().map(|it| it.as_str().to_owned());
    let column = |of: fn(&Suppression) -> Option<&'static str>| -> Vec<_> {
        entries.iter().map(of).collect()
    };
    let write = sql!(
        WRITE_SUPPRESSIONS,
        organization = chunk.organization,
        ids = entries.iter().map(|it| it.id).collect::<Vec<_>>(),
        phones = entries.iter().map(|it| text(&it.phone)).collect::<Vec<_>>(),
        emails = entries.iter().map(|it| text(&it.email)).collect::<Vec<_>>(),
        channels = column(|it| it.channel.map(Channel::as_str)),
        categories = column(|it| it.category.map(Category::as_str)),
        reasons = entries.iter().map(|it| it.reason.as_deref()).collect::<Vec<_>>(),
        sources = entries.iter().map(|it| it.source.as_str()).collect::<Vec<_>>(),
        created_at = entries.iter().map(|it| it.created_at).collect::<Vec<_>>(),
    );
    let created: i64 = write.only(conn).await?;
    Ok(u32::try_from(created).unwrap_or_default())
}

/// Records the result of a part, and commits the transaction that wrote it.
async fn finish(
    mut session: PgSession,
    chunk: &LeasedChunk,
    outcome: Outcome,
) -> Result<(), StoreError> {
    let Outcome { created, updated, fixed_lines, errors, remarks } = outcome;
    let failed = u32::try_from(errors.len()).unwrap_or(u32::MAX);
    let reported = ErrorColumns::of(&[errors, remarks].concat());
    let finish = sql!(
        FINISH,
        organization = chunk.organization,
        import = chunk.import,
        number = integer(chunk.chunk.number),
        rows = reported.rows,
        columns = reported.columns,
        reasons = reported.reasons,
        created = integer(created),
        updated = integer(updated),
        failed = integer(failed),
        fixed_lines = integer(fixed_lines),
    );
    let status: Option<String> = finish.value(session.conn()).await?;
    if status.as_deref() == Some(ImportStatus::Completed.as_str()) {
        completion::publish(session.conn(), chunk.organization, chunk.import).await?;
    }
    session.commit().await
}

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 30;

/// The imports of an organization and kind are processed one after the other: later files win. A
/// finished part moves its import to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM imports AS import \
        WHERE status IN ('QUEUED', 'PROCESSING') AND due_at <= now() \
            AND id = (SELECT first.id FROM imports AS first \
                WHERE first.organization_id = ANY(ARRAY[import.organization_id]) \
                    AND first.kind = ANY(ARRAY[import.kind]) \
                    AND first.status IN ('QUEUED', 'PROCESSING') \
                ORDER BY first.organization_id, first.kind, first.id LIMIT 1) \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE imports SET status = 'PROCESSING', lease = lease_of({lease_prefix}), \
        due_at = now() + make_interval(secs => {seconds}::bigint) \
    FROM next \
    WHERE imports.organization_id = ANY(ARRAY[next.organization_id]) \
        AND imports.id = ANY(ARRAY[next.id]) \
    RETURNING imports.organization_id, imports.id, lease, kind, delimiter, encoding, header, \
        coalesce(labels, header) AS labels, failures, consent_source, created_at";

/// A given reason replaces the existing one; without a reason the existing one stays.
const WRITE_SUPPRESSIONS: &str = "\
    WITH written AS ( \
        INSERT INTO suppressions AS entry (organization_id, id, phone, email, channel, category, \
            reason, source, created_at) \
        SELECT {organization}::uuid, * FROM UNNEST({ids}::uuid[], {phones}::text[], \
            {emails}::text[], {channels}::text[], {categories}::text[], {reasons}::text[], \
            {sources}::text[], {created_at}::timestamptz[]) \
        ON CONFLICT (organization_id, coalesce(phone, ''), lower(coalesce(email, '')), \
            coalesce(channel, ''), coalesce(category, ''), source) \
        DO UPDATE SET reason = EXCLUDED.reason \
            WHERE EXCLUDED.reason IS NOT NULL AND EXCLUDED.reason IS DISTINCT FROM entry.reason \
        RETURNING xmax = 0 AS is_new \
    ) SELECT count(*) FILTER (WHERE is_new) FROM written";

/// Rows of separators are not counted. The version before did count them when the file was
/// uploaded, so the last part derives the total from the results of the rows.
const FINISH: &str = "\
    WITH done AS ( \
        DELETE FROM import_chunks \
        WHERE organization_id = {organization} AND import_id = {import} AND number = {number} \
    ), told AS ( \
        INSERT INTO import_errors (organization_id, import_id, row_number, column_name, reason) \
        SELECT {organization}::uuid, {import}::uuid, row_number, column_name, reason \
        FROM UNNEST({rows}::integer[], {columns}::text[], {reasons}::text[]) \
            AS given (row_number, column_name, reason) \
    ) \
    UPDATE imports SET created_rows = created_rows + given.created, \
        updated_rows = updated_rows + given.updated, failed_rows = failed_rows + given.failed, \
        fixed_line_rows = fixed_line_rows + given.fixed_lines, \
        lease = NULL, due_at = now(), failures = 0, \
        total_rows = CASE WHEN given.is_last \
            THEN created_rows + updated_rows + failed_rows + given.rows ELSE total_rows END, \
        status = CASE WHEN given.is_last THEN 'COMPLETED' ELSE status END, \
        completed_at = CASE WHEN given.is_last THEN now() END \
    FROM (SELECT created, updated, failed, fixed_lines, created + updated + failed AS rows, \
            NOT EXISTS (SELECT FROM import_chunks \
                WHERE organization_id = {organization} AND import_id = {import} \
                    AND number > {number}) AS is_last \
        FROM (VALUES ({created}::integer, {updated}::integer, {failed}::integer, \
                {fixed_lines}::integer)) \
            AS counted (created, updated, failed, fixed_lines)) AS given \
    WHERE organization_id = {organization} AND id = {import} RETURNING imports.status";
