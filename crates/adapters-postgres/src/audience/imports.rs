//! Imports, as organizations see them: the uploaded files, and the results of their rows.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    audience::import::{Chunk, Import, ImportKind, ImportStatus, Received, RowError},
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::imports::{FileIdentity, HeldFile, ImportRepository, Submitted},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    audit_entries,
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::{import_errors, imports},
};

mod completion;
mod contact_columns;
mod contact_writes;
mod erased;
mod failed;
mod held;
mod imported_contacts;
mod queue;
mod undo;

/// Maximum number of imports counted for a list.
const COUNTED: i64 = 1_000;
const UPLOADING: &str = "UPLOADING";

#[derive(HasQuery)]
#[diesel(table_name = imports)]
struct ImportRow {
    id: Uuid,
    organization_id: Uuid,
    kind: String,
    file_name: Option<String>,
    status: String,
    total_rows: i32,
    created_rows: i32,
    updated_rows: i32,
    failed_rows: i32,
    fixed_line_rows: i32,
    consent_source: Option<String>,
    same_as: Option<Uuid>,
    undo_status: Option<String>,
    undone_rows: i32,
    undone_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    completed_at: Option<DateTime<Utc>>,
}

#[derive(HasQuery)]
#[diesel(table_name = import_errors)]
struct ErrorRow {
    row_number: i32,
    column_name: Option<String>,
    reason: String,
}

#[async_trait]
impl ImportRepository for PgStore {
    async fn begin(&self, import: &Import, most: usize) -> Result<bool, StoreError> {
        // Uploads of that age have been abandoned, reported or not.
        let begin = sql!(
            "INSERT INTO imports (organization_id, id, kind, file_name, consent_source, status, \
                created_at) \
             SELECT {organization}::uuid, {id}::uuid, {kind}::text, {file_name}::text, \
                {consent_source}::text, 'UPLOADING', {created_at}::timestamptz \
             WHERE (SELECT count(*) FROM imports \
                WHERE organization_id = {organization} AND kind = {kind} \
                    AND status IN ('UPLOADING', 'QUEUED', 'PROCESSING') \
                    AND (status <> 'UPLOADING' OR created_at > now() - interval '15 minutes') \
                ) < {most}",
            organization = import.organization,
            id = import.id,
            kind = import.kind.as_str(),
            file_name = import.file_name.as_deref(),
            consent_source = import.consent_source.as_deref(),
            created_at = import.created_at,
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        Ok(begin.execute(self.session().await?.conn()).await? > 0)
    }

    async fn add_chunk(&self, import: &Import, chunk: &Chunk) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        add_chunk(session.conn(), import, chunk).await
    }

    async fn submit(
        &self,
        import: &Import,
        received: &Received,
        file: FileIdentity,
    ) -> Result<Submitted, StoreError> {
        let mut session = self.transaction().await?;
        let former = former(session.conn(), import, &file).await?;
        if let Some(former) = former.filter(|_| file.is_once) {
            return Ok(Submitted::Known(former.into()));
        }
        if let Some(chunk) = &received.last {
            add_chunk(session.conn(), import, chunk).await?;
        }
        let (organization, id) = (import.organization.uuid(), import.id.uuid());
        let errors = ErrorColumns::of(&received.unreadable);
        let submit = sql!(
            SUBMIT,
            organization,
            id,
            failed = errors.count(),
            rows = errors.rows,
            columns = errors.columns,
            reasons = errors.reasons,
            delimiter = received.layout.delimiter.as_str(),
            encoding = received.layout.encoding.as_str(),
            header = &received.layout.header,
            labels = &received.layout.labels,
            hash = file.hash.as_slice(),
            former,
            total = integer(received.total_rows),
        );
        if submit.execute(session.conn()).await? == 0 {
            // The upload took so long that it was purged.
            return Err(StoreError::Internal(format!("the upload {id} is gone").into()));
        }
        let query = ImportRow::query()
            .filter(imports::organization_id.eq(organization))
            .filter(imports::id.eq(id));
        let row = query.first(session.conn()).await.map_err(store_error)?;
        let submitted = Import::try_from(row)?;
        if submitted.status == ImportStatus::Completed {
            completion::publish(session.conn(), import.organization, import.id).await?;
        }
        session.commit().await?;
        Ok(Submitted::Done(Box::new(submitted)))
    }

    async fn abandon(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
    ) -> Result<(), StoreError> {
        let upload = imports::table.find((organization.uuid(), id.uuid()));
        let mut session = self.session().await?;
        diesel::delete(upload.filter(imports::status.eq(UPLOADING)))
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn held(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Option<HeldFile>, StoreError> {
        held::find(self.session().await?.conn(), organization, kind, id).await
    }

    async fn held_chunk(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        number: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        held::chunk(self.session().await?.conn(), organization, id, number).await
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        page: Page,
    ) -> Result<Paged<Import>, StoreError> {
        let listed = imports::organization_id
            .eq(organization.uuid())
            .and(imports::kind.eq(kind.as_str()))
            .and(imports::status.ne(UPLOADING));
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let mut session = self.session().await?;
        // No more are counted or shown.
        let some = imports::table.filter(listed).select(imports::id).limit(COUNTED + 1);
        let found: Vec<Uuid> = some.load(session.conn()).await.map_err(store_error)?;
        let query = ImportRow::query()
            .filter(listed)
            .order(imports::id.desc())
            .offset(offset)
            .limit(i64::from(page.limit()).min((COUNTED - offset).max(0)));
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Import::try_from).collect();
        let most = COUNTED.unsigned_abs();
        Ok(Paged::counted_up_to(most, items?, page, found.len() as u64))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Option<Import>, StoreError> {
        let query = ImportRow::query()
            .filter(imports::organization_id.eq(organization.uuid()))
            .filter(imports::id.eq(id.uuid()))
            .filter(imports::kind.eq(kind.as_str()))
            .filter(imports::status.ne(UPLOADING));
        let mut session = self.session().await?;
        let row = query.first(session.conn()).await.optional().map_err(store_error)?;
        row.map(Import::try_from).transpose()
    }

    async fn errors(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        after: u32,
        limit: usize,
    ) -> Result<Vec<RowError>, StoreError> {
        let query = ErrorRow::query()
            .filter(import_errors::organization_id.eq(organization.uuid()))
            .filter(import_errors::import_id.eq(id.uuid()))
            .filter(import_errors::row_number.gt(integer(after)))
            .order(import_errors::row_number)
            .limit(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut session = self.session().await?;
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(RowError::from).collect())
    }

    async fn begin_undo(
        &self,
        organization: Id<Organization>,
        id: Id<Import>,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut session = self.transaction().await?;
        if !undo::begin(session.conn(), organization, id).await? {
            return Ok(false);
        }
        audit_entries::insert(session.conn(), entry).await?;
        session.commit().await?;
        Ok(true)
    }
}

/// Returns the newest import of the same bytes within a day. Until the transaction ends, nobody else
/// completes an upload of the organization.
async fn former(
    conn: &mut Connection,
    import: &Import,
    file: &FileIdentity,
) -> Result<Option<Uuid>, StoreError> {
    let lock = sql!(
        "SELECT pg_advisory_xact_lock(hashtext('atumpan imports'), hashtext({organization}))",
        organization = import.organization.to_string(),
    );
    lock.execute(conn).await?;
    // An organization has few imports a day, so the hash needs no index. A failed or undone import
    // has to be repeated.
    let former = sql!(
        "SELECT id FROM imports WHERE organization_id = {organization} AND kind = {kind} \
            AND id > uuid_floor(now() - interval '1 day') \
            AND status <> 'UPLOADING' AND status <> 'FAILED' AND undo_status IS NULL \
            AND file_hash = {hash} \
         ORDER BY id DESC LIMIT 1",
        organization = import.organization,
        kind = import.kind.as_str(),
        hash = file.hash.as_slice(),
    );
    former.value(conn).await
}

async fn add_chunk(
    conn: &mut Connection,
    import: &Import,
    chunk: &Chunk,
) -> Result<(), StoreError> {
    let add = sql!(
        "INSERT INTO import_chunks (organization_id, import_id, number, first_row, bytes) \
         VALUES ({organization}, {import}, {number}, {first_row}, {bytes})",
        organization = import.organization,
        import = import.id,
        number = integer(chunk.number),
        first_row = integer(chunk.first_row),
        bytes = &chunk.bytes,
    );
    add.execute(conn).await?;
    Ok(())
}

/// Rows that failed, column by column.
struct ErrorColumns {
    rows: Vec<i32>,
    columns: Vec<Option<String>>,
    reasons: Vec<String>,
}

impl ErrorColumns {
    fn of(errors: &[RowError]) -> Self {
        Self {
            rows: errors.iter().map(|error| integer(error.row)).collect(),
            columns: errors.iter().map(|error| error.column.clone()).collect(),
            reasons: errors.iter().map(|error| error.reason.clone()).collect(),
        }
    }

    fn count(&self) -> i32 {
        i32::try_from(self.rows.len()).unwrap_or(i32::MAX)
    }
}

/// No file has so many rows that saturation matters.
fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

impl TryFrom<ImportRow> for Import {
    type Error = StoreError;

    fn try_from(row: ImportRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("imports", row.id);
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            kind: row.kind.parse().map_err(|_| corrupt())?,
            file_name: row.file_name,
            status: row.status.parse().map_err(|_| corrupt())?,
            total_rows: row.total_rows.unsigned_abs(),
            created: row.created_rows.unsigned_abs(),
            updated: row.updated_rows.unsigned_abs(),
            failed: row.failed_rows.unsigned_abs(),
            fixed_lines: row.fixed_line_rows.unsigned_abs(),
            consent_source: row.consent_source,
            same_as: row.same_as.map(Id::of),
            undo_status: row.undo_status.map(|it| it.parse().map_err(|_| corrupt())).transpose()?,
            undone: row.undone_rows.unsigned_abs(),
            undone_at: row.undone_at,
            created_at: row.created_at,
            completed_at: row.completed_at,
        })
    }
}

impl From<ErrorRow> for RowError {
    fn from(row: ErrorRow) -> Self {
        let ErrorRow { row_number, column_name, reason } = row;
        Self { row: row_number.unsigned_abs(), column: column_name, reason }
    }
}

const SUBMIT: &str = "\
    WITH unreadable AS ( \
        INSERT INTO import_errors (organization_id, import_id, row_number, column_name, reason) \
        SELECT {organization}::uuid, {id}::uuid, row_number, column_name, reason \
        FROM UNNEST({rows}::integer[], {columns}::text[], {reasons}::text[]) \
            AS given (row_number, column_name, reason) \
    ) \
    UPDATE imports SET delimiter = {delimiter}, encoding = {encoding}, header = {header}, \
        labels = {labels}, file_hash = {hash}, same_as = {former}, total_rows = given.total, \
        failed_rows = given.failed, due_at = now(), \
        status = CASE WHEN given.failed = given.total THEN 'COMPLETED' ELSE 'QUEUED' END, \
        completed_at = CASE WHEN given.failed = given.total THEN now() END \
    FROM (SELECT {total}::integer AS total, {failed}::integer AS failed) AS given \
    WHERE organization_id = {organization} AND id = {id} AND status = 'UPLOADING'";
