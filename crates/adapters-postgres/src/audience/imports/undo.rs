//! Undo of imports: deletion of the contacts that they created, one part of the file at a time.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
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
    query::{row::row, sql::sql},
};

/// Duration of a lease in seconds: longer than a part takes.
const LEASE_SECONDS: i64 = 30;

row! {
    struct ClaimedRow {
        organization_id: Id<Organization>,
        id: Id<Import>,
        lease: Uuid,
        failures: i32,
    }
}

row! {
    /// Contacts that a part of a file wrote.
    struct Part {
        number: i32,
        written_at: DateTime<Utc>,
        contact_ids: Vec<Uuid>,
    }
}

/// Queues the undo of a finished import of contacts. Returns false if that is not possible any more.
pub(super) async fn begin(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Import>,
) -> Result<bool, StoreError> {
    let begin = sql!(
        "UPDATE imports SET undo_status = 'QUEUED', due_at = now(), failures = 0, \
            undo_parts = (SELECT count(*) FROM imported_contacts part \
                WHERE part.organization_id = imports.organization_id \
                    AND part.import_id = imports.id) \
         WHERE organization_id = {organization} AND id = {id} AND kind = 'CONTACTS' \
            AND status IN ('COMPLETED', 'FAILED') AND undo_status IS NULL",
        organization,
        id,
    );
    Ok(begin.execute(conn).await? > 0)
}

#[async_trait]
impl UndoQueue for PgStore {
    async fn claim_undo(&self) -> Result<Option<LeasedUndo>, StoreError> {
        let claim = sql!(CLAIM, lease_prefix = self.lease_prefix(), seconds = LEASE_SECONDS);
        let claimed: Option<ClaimedRow> = claim.row(self.session().await?.conn()).await?;
        Ok(claimed.map(|row| LeasedUndo {
            import: row.id,
            organization: row.organization_id,
            failures: row.failures.unsigned_abs(),
            lease: Lease(row.lease),
        }))
    }

    async fn undo_part(&self, undo: &LeasedUndo) -> Result<(), StoreError> {
        let (organization, import) = (undo.organization, undo.import);
        let mut session = contact_writes::begin(self).await?;
        let conn = session.conn();
        let hold = sql!(
            "SELECT id FROM imports \
             WHERE organization_id = {organization} AND id = {import} AND lease = {lease} \
             FOR NO KEY UPDATE",
            organization,
            import,
            lease = undo.lease.0,
        );
        if hold.value::<Uuid>(conn).await?.is_none() {
            return Ok(());
        }
        let first = sql!(
            "SELECT number, written_at, contact_ids FROM imported_contacts \
             WHERE organization_id = {organization} AND import_id = {import} \
             ORDER BY number LIMIT 1",
            organization,
            import,
        );
        let part: Option<Part> = first.row(conn).await?;
        let (undone, parts): (i64, i32) = match part {
            Some(part) => (delete(conn, undo, part).await?, 1),
            None => (0, 0),
        };
        sql!(FINISH, undone, parts, organization, import).execute(conn).await?;
        session.commit().await
    }

    async fn put_off_undo(&self, undo: &LeasedUndo, delay: TimeDelta) -> Result<(), StoreError> {
        let put_off = sql!(
            "UPDATE imports SET lease = NULL, failures = failures + 1, \
                due_at = now() + make_interval(secs => {delay}::bigint / 1000.0) \
             WHERE organization_id = {organization} AND id = {import} AND lease = {lease}",
            delay = delay.num_milliseconds(),
            organization = undo.organization,
            import = undo.import,
            lease = undo.lease.0,
        );
        put_off.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

/// Deletes the contacts of a part that nobody touched since, and the part. Returns the number of contacts.
async fn delete(
    conn: &mut Connection,
    undo: &LeasedUndo,
    mut part: Part,
) -> Result<i64, StoreError> {
    let organization = undo.organization;
    // Whoever locks several contacts locks them in this order.
    part.contact_ids.sort_unstable();
    let delete =
        sql!(DELETE_CONTACTS, organization, ids = part.contact_ids, written_at = part.written_at);
    let deleted = delete.only(conn).await?;
    let delete_part = sql!(
        "DELETE FROM imported_contacts \
         WHERE organization_id = {organization} AND import_id = {import} AND number = {number}",
        organization,
        import = undo.import,
        number = part.number,
    );
    delete_part.execute(conn).await?;
    Ok(deleted)
}

/// A finished part moves its import to the end of the queue.
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM imports \
        WHERE undo_status IN ('QUEUED', 'PROCESSING') AND due_at <= now() \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE imports SET undo_status = 'PROCESSING', lease = lease_of({lease_prefix}), \
        due_at = now() + make_interval(secs => {seconds}::bigint) \
    FROM next \
    WHERE imports.organization_id = ANY(ARRAY[next.organization_id]) \
        AND imports.id = ANY(ARRAY[next.id]) \
    RETURNING imports.organization_id, imports.id, lease, failures";

/// The creation is written with the time of the worker, whose clock may be ahead of that of the database. A
/// contact that somebody changes at this moment is judged again after that.
const DELETE_CONTACTS: &str = "\
    WITH gone AS ( \
        DELETE FROM contacts AS contact \
        USING (SELECT {organization}::uuid AS organization_id, given.id \
            FROM UNNEST({ids}::uuid[]) AS given (id) OFFSET 0) AS given \
        WHERE contact.organization_id = ANY(ARRAY[given.organization_id]) \
            AND contact.id = ANY(ARRAY[given.id]) \
            AND (contact.updated_at <= {written_at} OR contact.updated_at = contact.created_at) \
        RETURNING contact.id \
    ) SELECT count(*) FROM gone";

/// The undo ends with the last part. Parts that are missing then were purged.
const FINISH: &str = "\
    UPDATE imports SET undone_rows = undone_rows + given.undone, undo_parts = undo_parts - given.parts, \
        lease = NULL, due_at = now(), failures = 0, \
        undo_status = CASE WHEN NOT given.is_last THEN undo_status \
            WHEN undo_parts > given.parts THEN 'FAILED' ELSE 'COMPLETED' END, \
        undone_at = CASE WHEN given.is_last THEN now() END \
    FROM (SELECT {undone}::bigint AS undone, {parts}::integer AS parts, \
        NOT EXISTS (SELECT FROM imported_contacts \
            WHERE organization_id = {organization} AND import_id = {import}) AS is_last) AS given \
    WHERE organization_id = {organization} AND id = {import}";
