//! Working off imports: who may, and what comes of it.

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    prelude::*,
    sql_types::{Array, BigInt, Binary, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    address::Address,
    category::Category,
    channel::Channel,
    contact::Contact,
    import::{Chunk, ContactPlan, ContactRow, ContactStep, Layout, Row, RowError, SuppressionPlan},
    job::Lease,
    suppression::Suppression,
};
use ports::{
    imports::{ImportQueue, LeasedChunk},
    store::StoreError,
};
use uuid::Uuid;

use super::{
    ErrorColumns,
    contact_columns::{ContactColumns, GIVEN},
    integer,
};
use crate::{
    connection::Connection,
    contacts::row::ContactRow as KnownRow,
    error::store_error,
    session::{PgSession, PgStore},
    statement::Statement,
};

/// What of an import a worker has to know: the organization, the import, the lease, the kind, the
/// delimiter, the encoding, the header and the failures.
type ClaimedTypes = (SqlUuid, SqlUuid, SqlUuid, Text, Text, Text, Array<Text>, Integer);
type Claimed = (Uuid, Uuid, Uuid, String, String, String, Vec<String>, i32);
/// The number of a part, its first row and its bytes.
type ChunkTypes = (Integer, Integer, Binary);

/// What a part came to.
struct Outcome<'o> {
    created: u32,
    updated: u32,
    errors: &'o [RowError],
}

#[async_trait]
impl ImportQueue for PgStore {
    async fn claim(&self) -> Result<Option<LeasedChunk>, StoreError> {
        let mut session = self.session().await?;
        let claim =
            Statement::<Claim, ClaimedTypes>::new(&[CLAIM]).bind::<BigInt, _>(LEASE_SECONDS);
        let claimed: Option<Claimed> =
            claim.get_result(session.conn()).await.optional().map_err(store_error)?;
        let Some((organization, import, lease, kind, delimiter, encoding, header, failures)) =
            claimed
        else {
            return Ok(None);
        };
        let first = Statement::<FirstChunk, ChunkTypes>::new(&[FIRST_CHUNK])
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(import);
        let chunk: Option<(i32, i32, Vec<u8>)> =
            first.get_result(session.conn()).await.optional().map_err(store_error)?;
        let lease = Lease(lease);
        let chunk = chunk.map(|(number, first_row, bytes)| Chunk {
            number: number.unsigned_abs(),
            first_row: first_row.unsigned_abs(),
            rows: 0,
            bytes,
        });
        let layout = delimiter.parse().ok().zip(encoding.parse().ok());
        let (Some(chunk), Some((delimiter, encoding)), Ok(kind)) = (chunk, layout, kind.parse())
        else {
            let failed = Failed { organization, import, lease, row: 1 };
            failed.write(session.conn(), "the rest of the file is lost").await?;
            return Ok(None);
        };
        Ok(Some(LeasedChunk {
            import: import.into(),
            organization: organization.into(),
            kind,
            layout: Layout { delimiter, encoding, header },
            chunk,
            failures: failures.unsigned_abs(),
            lease,
        }))
    }

    async fn write_contacts(
        &self,
        chunk: &LeasedChunk,
        rows: &[Row<ContactRow>],
    ) -> Result<(), StoreError> {
        let mut session = self.transaction().await?;
        if !is_held(session.conn(), chunk).await? {
            return Ok(());
        }
        let known = known_contacts(session.conn(), chunk, rows).await?;
        let plan = ContactPlan::of(rows.to_vec(), known);
        for ContactStep { changed, new } in &plan.steps {
            let organization = chunk.organization.uuid();
            if !changed.is_empty() {
                let columns = ContactColumns::of(changed);
                let update = Statement::<UpdateContacts>::new(UPDATE_CONTACTS);
                let update = columns.bind(update).bind::<SqlUuid, _>(organization);
                update.execute(session.conn()).await.map_err(store_error)?;
            }
            if !new.is_empty() {
                let columns = ContactColumns::of(new);
                let insert = Statement::<InsertContacts>::new(INSERT_CONTACTS);
                let insert = columns.bind(insert.bind::<SqlUuid, _>(organization));
                insert.execute(session.conn()).await.map_err(store_error)?;
            }
        }
        let ContactPlan { created, updated, errors, .. } = plan;
        finish(session, chunk, &Outcome { created, updated, errors: &errors }).await
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
        finish(session, chunk, &Outcome { created, updated, errors: &plan.errors }).await
    }

    async fn put_off(&self, chunk: &LeasedChunk, delay: TimeDelta) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::<PutOff>::new(&[PUT_OFF])
            .bind::<BigInt, _>(delay.num_milliseconds())
            .bind::<SqlUuid, _>(chunk.organization.uuid())
            .bind::<SqlUuid, _>(chunk.import.uuid())
            .bind::<SqlUuid, _>(chunk.lease.0)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
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

/// An import that cannot go on, from that row.
struct Failed {
    organization: Uuid,
    import: Uuid,
    lease: Lease,
    row: i32,
}

impl Failed {
    async fn write(&self, conn: &mut Connection, reason: &str) -> Result<(), StoreError> {
        let import = self.import;
        tracing::error!(%import, row = self.row, reason, "gave up an import");
        Statement::<Fail>::new(&[FAIL])
            .bind::<SqlUuid, _>(self.organization)
            .bind::<SqlUuid, _>(import)
            .bind::<SqlUuid, _>(self.lease.0)
            .bind::<Integer, _>(self.row)
            .bind::<Text, _>(reason)
            .execute(conn)
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

/// Whether the lease is still held. If it is, nobody else can take it until the transaction ends.
async fn is_held(conn: &mut Connection, chunk: &LeasedChunk) -> Result<bool, StoreError> {
    let hold = Statement::<Hold, SqlUuid>::new(&[HOLD])
        .bind::<SqlUuid, _>(chunk.organization.uuid())
        .bind::<SqlUuid, _>(chunk.import.uuid())
        .bind::<SqlUuid, _>(chunk.lease.0);
    let held: Option<Uuid> = hold.get_result(conn).await.optional().map_err(store_error)?;
    Ok(held.is_some())
}

/// The contacts that the rows may be about. Nobody else changes them until the transaction ends.
async fn known_contacts(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    rows: &[Row<ContactRow>],
) -> Result<Vec<Contact>, StoreError> {
    let organization = chunk.organization.uuid();
    let (phones, emails) = ContactPlan::addresses(rows);
    let known =
        Statement::<KnownContacts, SqlTypeOf<AsSelect<KnownRow, Pg>>>::new(&[KNOWN_CONTACTS])
            .bind::<SqlUuid, _>(organization)
            .bind::<SqlUuid, _>(organization)
            .bind::<Array<Text>, _>(phones)
            .bind::<SqlUuid, _>(organization)
            .bind::<Array<Text>, _>(emails);
    let rows: Vec<KnownRow> = known.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Contact::try_from).collect()
}

/// Puts entries on the list, and returns how many it did not have.
async fn write_suppressions(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    entries: &[Suppression],
) -> Result<u32, StoreError> {
    let text = |address: &Option<Address>| address.as_ref().map(|it| it.as_str().to_owned());
    let column = |of: fn(&Suppression) -> Option<&'static str>| -> Vec<_> {
        entries.iter().map(of).collect()
    };
    let write = Statement::<WriteSuppressions, BigInt>::new(&[WRITE_SUPPRESSIONS])
        .bind::<SqlUuid, _>(chunk.organization.uuid())
        .bind::<Array<SqlUuid>, _>(entries.iter().map(|it| it.id.uuid()).collect::<Vec<_>>())
        .bind::<Array<Nullable<Text>>, _>(
            entries.iter().map(|it| text(&it.phone)).collect::<Vec<_>>(),
        )
        .bind::<Array<Nullable<Text>>, _>(
            entries.iter().map(|it| text(&it.email)).collect::<Vec<_>>(),
        )
        .bind::<Array<Nullable<Text>>, _>(column(|it| it.channel.map(Channel::as_str)))
        .bind::<Array<Nullable<Text>>, _>(column(|it| it.category.map(Category::as_str)))
        .bind::<Array<Nullable<Text>>, _>(
            entries.iter().map(|it| it.reason.as_deref()).collect::<Vec<_>>(),
        )
        .bind::<Array<Text>, _>(entries.iter().map(|it| it.source.as_str()).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(entries.iter().map(|it| it.created_at).collect::<Vec<_>>());
    let created: i64 = write.get_result(conn).await.map_err(store_error)?;
    Ok(u32::try_from(created).unwrap_or_default())
}

/// Notes what became of a part, and ends the transaction that wrote it.
async fn finish(
    mut session: PgSession,
    chunk: &LeasedChunk,
    outcome: &Outcome<'_>,
) -> Result<(), StoreError> {
    let (organization, import) = (chunk.organization.uuid(), chunk.import.uuid());
    let errors = ErrorColumns::of(outcome.errors);
    let finish = Statement::<Finish>::new(&[FINISH])
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(import)
        .bind::<Integer, _>(integer(chunk.chunk.number))
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(import);
    let finish = errors
        .bind(finish)
        .bind::<Integer, _>(integer(outcome.created))
        .bind::<Integer, _>(integer(outcome.updated))
        .bind::<Integer, _>(errors.count())
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(import);
    finish.execute(session.conn()).await.map_err(store_error)?;
    session.commit().await
}

/// How long a lease lasts: longer than a part takes.
const LEASE_SECONDS: i64 = 30;

/// The imports of an organization and kind are done one after the other: what a later file says
/// holds. A part that is done makes its import the last in the line.
struct Claim;
const CLAIM: &str = "\
    WITH next AS ( \
        SELECT organization_id, id FROM imports AS import \
        WHERE status IN ('QUEUED', 'PROCESSING') AND due_at <= now() \
            AND NOT EXISTS (SELECT FROM imports AS earlier \
                WHERE earlier.organization_id = ANY(ARRAY[import.organization_id]) \
                    AND earlier.kind = ANY(ARRAY[import.kind]) AND earlier.id < import.id \
                    AND earlier.status IN ('QUEUED', 'PROCESSING')) \
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED \
    ) \
    UPDATE imports SET status = 'PROCESSING', lease = gen_random_uuid(), \
        due_at = now() + make_interval(secs => ?::bigint) \
    FROM next \
    WHERE imports.organization_id = ANY(ARRAY[next.organization_id]) \
        AND imports.id = ANY(ARRAY[next.id]) \
    RETURNING imports.organization_id, imports.id, lease, kind, delimiter, encoding, header, failures";

struct Hold;
const HOLD: &str = "\
    SELECT id FROM imports WHERE organization_id = ? AND id = ? AND lease = ? FOR NO KEY UPDATE";

struct FirstChunk;
const FIRST_CHUNK: &str = "\
    SELECT number, first_row, bytes FROM import_chunks \
    WHERE organization_id = ? AND import_id = ? ORDER BY number LIMIT 1";

struct KnownContacts;
const KNOWN_CONTACTS: &str = "\
    SELECT id, organization_id, first_name, last_name, phone, email, country_code, tags, fcm_token, \
        attributes, created_at \
    FROM contacts WHERE organization_id = ? AND id = ANY(ARRAY( \
        SELECT id FROM contacts WHERE organization_id = ? AND phone = ANY(?) \
        UNION ALL SELECT id FROM contacts WHERE organization_id = ? AND email = ANY(?))) \
    ORDER BY id FOR NO KEY UPDATE";

struct UpdateContacts;
const UPDATE_CONTACTS: &[&str] = &[
    "UPDATE contacts AS contact SET first_name = given.first_name, last_name = given.last_name, \
        phone = given.phone, email = given.email, country_code = given.country_code, \
        tags = given.tags::text[], fcm_token = given.fcm_token, attributes = given.attributes, \
        first_name_folded = given.first_name_folded, last_name_folded = given.last_name_folded, \
        tags_folded = given.tags_folded::text[], attributes_folded = given.attributes_folded, \
        search_text = given.search_text \
    FROM ",
    GIVEN,
    " WHERE contact.organization_id = ? AND contact.id = ANY(ARRAY[given.id])",
];

struct InsertContacts;
const INSERT_CONTACTS: &[&str] = &[
    "INSERT INTO contacts (organization_id, id, first_name, last_name, phone, email, country_code, \
        tags, fcm_token, attributes, created_at, first_name_folded, last_name_folded, tags_folded, \
        attributes_folded, search_text) \
    SELECT ?, id, first_name, last_name, phone, email, country_code, tags::text[], fcm_token, \
        attributes, created_at, first_name_folded, last_name_folded, tags_folded::text[], \
        attributes_folded, search_text FROM ",
    GIVEN,
];

/// A reason replaces the one that is there; without one that stays.
struct WriteSuppressions;
const WRITE_SUPPRESSIONS: &str = "\
    WITH written AS ( \
        INSERT INTO suppressions AS entry (organization_id, id, phone, email, channel, category, \
            reason, source, created_at) \
        SELECT ?, * FROM UNNEST(?, ?, ?, ?, ?, ?, ?, ?) \
        ON CONFLICT (organization_id, coalesce(phone, ''), lower(coalesce(email, '')), \
            coalesce(channel, ''), coalesce(category, ''), source) \
        DO UPDATE SET reason = EXCLUDED.reason \
            WHERE EXCLUDED.reason IS NOT NULL AND EXCLUDED.reason IS DISTINCT FROM entry.reason \
        RETURNING xmax = 0 AS is_new \
    ) SELECT count(*) FILTER (WHERE is_new) FROM written";

struct Finish;
const FINISH: &str = "\
    WITH done AS ( \
        DELETE FROM import_chunks WHERE organization_id = ? AND import_id = ? AND number = ? \
    ), failed AS ( \
        INSERT INTO import_errors (organization_id, import_id, row_number, column_name, reason) \
        SELECT ?, ?, row_number, column_name, reason \
        FROM UNNEST(?, ?, ?) AS given (row_number, column_name, reason) \
    ) \
    UPDATE imports SET created_rows = created_rows + given.created, \
        updated_rows = updated_rows + given.updated, failed_rows = failed_rows + given.failed, \
        lease = NULL, due_at = now(), failures = 0, \
        status = CASE WHEN given.rows = total_rows - created_rows - updated_rows - failed_rows \
            THEN 'COMPLETED' ELSE status END, \
        completed_at = CASE WHEN given.rows = total_rows - created_rows - updated_rows - failed_rows \
            THEN now() END \
    FROM (SELECT created, updated, failed, created + updated + failed AS rows \
        FROM (VALUES (?::integer, ?::integer, ?::integer)) AS counted (created, updated, failed)) \
        AS given \
    WHERE organization_id = ? AND id = ?";

struct PutOff;
const PUT_OFF: &str = "\
    UPDATE imports SET lease = NULL, failures = failures + 1, \
        due_at = now() + make_interval(secs => ?::bigint / 1000.0) \
    WHERE organization_id = ? AND id = ? AND lease = ?";

struct Fail;
const FAIL: &str = "\
    WITH ended AS ( \
        UPDATE imports SET status = 'FAILED', completed_at = now(), lease = NULL, \
            failed_rows = total_rows - created_rows - updated_rows \
        WHERE organization_id = ? AND id = ? AND lease = ? \
        RETURNING organization_id, id \
    ), gone AS ( \
        DELETE FROM import_chunks AS chunk USING ended \
        WHERE chunk.organization_id = ANY(ARRAY[ended.organization_id]) \
            AND chunk.import_id = ANY(ARRAY[ended.id]) \
    ) \
    INSERT INTO import_errors (organization_id, import_id, row_number, reason) \
    SELECT organization_id, id, ?, ? FROM ended";
