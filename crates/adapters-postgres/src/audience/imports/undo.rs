//! Undo of imports: deletion of the contacts that they created, one part of the file at a time.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    prelude::*,
    sql_types::{Array, BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    audience::import::Import, identity::organization::Organization, messaging::job::Lease,
    shared::id::Id,
};
use ports::{
    audience::imports::{LeasedUndo, UndoQueue},
    shared::store::StoreError,
};
use uuid::Uuid;

use super::contact_writes;
use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 30;

/// Number of a part, time of its writing, and contacts.
type PartTypes = (Integer, Timestamptz, Array<SqlUuid>);

/// Contacts that a part of a file wrote.
#[derive(Queryable)]
struct Part {
    number: i32,
    written_at: DateTime<Utc>,
    contacts: Vec<Uuid>,
}

/// Queues the undo of a finished import of contacts. Returns false if that is not possible any more.
pub(super) async fn begin(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Import>,
) -> Result<bool, StoreError> {
    let begin = Statement::new(&[BEGIN])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(id.uuid());
    Ok(begin.execute(conn).await.map_err(store_error)? > 0)
}

#[async_trait]
impl UndoQueue for PgStore {
    async fn claim_undo(&self) -> Result<Option<LeasedUndo>, StoreError> {
        let mut session = self.session().await?;
        let claim = Statement::<(SqlUuid, SqlUuid, SqlUuid, Integer)>::returning(&[CLAIM])
            .bind::<Nullable<Text>, _>(self.lease_prefix())
            .bind::<BigInt, _>(LEASE_SECONDS);
        let claimed: Option<(Uuid, Uuid, Uuid, i32)> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        Ok(claimed.map(|(organization, import, lease, failures)| LeasedUndo {
            import: import.into(),
            organization: organization.into(),
            failures: failures.unsigned_abs(),
            lease: Lease(lease),
        }))
    }

    async fn undo_part(&self, undo: &LeasedUndo) -> Result<(), StoreError> {
        let (organization, import) = (undo.organization.uuid(), undo.import.uuid());
        let mut session = contact_writes::begin(self).await?;
        let conn = session.conn();
        let hold = Statement::<SqlUuid>::returning(&[HOLD])
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(import)
            .bind::<SqlUuid, _>(undo.lease.0);
        let held: Option<Uuid> = hold.get_result(conn).await.optional().map_err(store_error)?;
        if held.is_none() {
            return Ok(());
        }
        let first = Statement::<PartTypes>::returning(&[FIRST_PART])
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(import);
        let part: Option<Part> = first.get_result(conn).await.optional().map_err(store_error)?;
        let (undone, parts): (i64, i32) = match part {
            Some(part) => (delete(conn, undo, part).await?, 1),
            None => (0, 0),
        };
        let finish = Statement::new(&[FINISH])
            .bind::<BigInt, _>(undone)
            .bind::<Integer, _>(parts)
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(import)
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(import);
        finish.execute(conn).await.map_err(store_error)?;
        session.commit().await
    }

    async fn put_off_undo(&self, undo: &LeasedUndo, delay: TimeDelta) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::new(&[PUT_OFF])
            .bind::<BigInt, _>(delay.num_milliseconds())
            .bind::<SqlUuid, _>(undo.organization.uuid())
            .bind::<SqlUuid, _>(undo.import.uuid())
            .bind::<SqlUuid, _>(undo.lease.0)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

/// Deletes the contacts of a part that nobody touched since, and the part. Returns the number of contacts.
async fn delete(
    conn: &mut Connection,
    undo: &LeasedUndo,
    mut part: Part,
) -> Result<i64, StoreError> {
    let (organization, import) = (undo.organization.uuid(), undo.import.uuid());
    // Whoever locks several contacts locks them in this order.
    part.contacts.sort_unstable();
    let delete = Statement::<BigInt>::returning(&[DELETE_CONTACTS])
        .bind::<SqlUuid, _>(organization)
        .bind::<Array<SqlUuid>, _>(part.contacts)
        .bind::<Timestamptz, _>(part.written_at);
    let deleted: i64 = delete.get_result(conn).await.map_err(store_error)?;
    Statement::new(&[DELETE_PART])
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(import)
        .bind::<Integer, _>(part.number)
        .execute(conn)
        .await
        .map_err(store_error)?;
    Ok(deleted)
}

const BEGIN: &str = "\
    UPDATE imports SET undo_status = 'QUEUED', due_at = now(), failures = 0, \
        undo_parts = (SELECT count(*) FROM imported_contacts part \
            WHERE part.organization_id = imports.organization_id AND part.import_id = imports.id) \
    WHERE organization_id = ? AND id = ? AND kind = 'CONTACTS' \
        AND status IN ('COMPLETED', 'FAILED') AND undo_status IS NULL";

/// A finished part moves its import to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM imports \
        WHERE undo_status IN ('QUEUED', 'PROCESSING') AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE imports SET undo_status = 'PROCESSING', lease = lease_of(?), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE imports.organization_id = ANY(ARRAY[next.organization_id]) \
        AND imports.id = ANY(ARRAY[next.id]) \
    RETURNING imports.organization_id, imports.id, lease, failures";

const HOLD: &str = "\
    SELECT id FROM imports WHERE organization_id = ? AND id = ? AND lease = ? FOR NO KEY UPDATE";

const FIRST_PART: &str = "\
    SELECT number, written_at, contact_ids FROM imported_contacts \
    WHERE organization_id = ? AND import_id = ? ORDER BY number LIMIT 1";

/// The creation is written with the time of the worker, whose clock may be ahead of that of the database. A
/// contact that somebody changes at this moment is judged again after that.
const DELETE_CONTACTS: &str = "\
    WITH gone AS ( \
        DELETE FROM contacts AS contact \
        USING (SELECT ?::uuid AS organization_id, given.id FROM UNNEST(?) AS given (id) OFFSET 0) \
            AS given \
        WHERE contact.organization_id = ANY(ARRAY[given.organization_id]) \
            AND contact.id = ANY(ARRAY[given.id]) \
            AND (contact.updated_at <= ? OR contact.updated_at = contact.created_at) \
        RETURNING contact.id \
    ) SELECT count(*) FROM gone";

const DELETE_PART: &str = "\
    DELETE FROM imported_contacts WHERE organization_id = ? AND import_id = ? AND number = ?";

/// The undo ends with the last part. Parts that are missing then were purged.
const FINISH: &str = "\
    UPDATE imports SET undone_rows = undone_rows + given.undone, undo_parts = undo_parts - given.parts, \
        lease = NULL, due_at = now(), failures = 0, \
        undo_status = CASE WHEN NOT given.is_last THEN undo_status \
            WHEN undo_parts > given.parts THEN 'FAILED' ELSE 'COMPLETED' END, \
        undone_at = CASE WHEN given.is_last THEN now() END \
    FROM (SELECT ?::bigint AS undone, ?::integer AS parts, \
        NOT EXISTS (SELECT FROM imported_contacts \
            WHERE organization_id = ? AND import_id = ?) AS is_last) AS given \
    WHERE organization_id = ? AND id = ?";

const PUT_OFF: &str = "\
    UPDATE imports SET lease = NULL, failures = failures + 1, \
        due_at = now() + make_interval(secs => ?::bigint / 1000.0) \
    WHERE organization_id = ? AND id = ? AND lease = ?";
