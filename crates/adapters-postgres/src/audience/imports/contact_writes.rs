//! Lookup and writing of the contacts of a part of a file.

use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use diesel_async::SimpleAsyncConnection;
use domain::{
    audience::{
        contact::Contact,
        import::{ContactPlan, ContactRow, ContactStep, Row},
    },
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{audience::imports::LeasedChunk, shared::store::StoreError};

use super::{
    contact_columns::{ContactColumns, GIVEN},
    erased::refuse_erased,
    imported_contacts,
};
use crate::{
    audience::contacts::row::ContactRow as StoredRow,
    shared::{
        database::{
            connection::Connection,
            session::{PgSession, PgStore},
        },
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
};

/// Begins a transaction in which contacts are found by their keys.
pub(super) async fn begin(store: &PgStore) -> Result<PgSession, StoreError> {
    let opening = store.opening().await?;
    opening.conn().batch_execute(BEGIN).await.map_err(store_error)?;
    Ok(opening.opened())
}

/// Writes the contacts of rows, and returns the result of each row.
pub(super) async fn write(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    rows: &[Row<ContactRow>],
) -> Result<ContactPlan, StoreError> {
    let known = stored_contacts(conn, chunk.organization, rows).await?;
    let rows = refuse_erased(conn, chunk, rows).await?;
    let plan = ContactPlan::of(rows, known);
    let organization = chunk.organization.uuid();
    for ContactStep { changed, new } in &plan.steps {
        if !changed.is_empty() {
            let columns = ContactColumns::of(changed);
            let update = Statement::new(UPDATE_CONTACTS);
            let update = columns.bind(update.bind::<SqlUuid, _>(organization));
            update.execute(conn).await.map_err(store_error)?;
        }
        if !new.is_empty() {
            let columns = ContactColumns::of(new);
            let insert = Statement::new(INSERT_CONTACTS);
            let insert = columns.bind(insert.bind::<SqlUuid, _>(organization));
            insert.execute(conn).await.map_err(store_error)?;
        }
    }
    imported_contacts::record(conn, chunk, &plan.steps).await?;
    Ok(plan)
}

/// Returns the existing contacts that the rows may be about, locked until the transaction ends.
async fn stored_contacts(
    conn: &mut Connection,
    organization: Id<Organization>,
    rows: &[Row<ContactRow>],
) -> Result<Vec<Contact>, StoreError> {
    let organization = organization.uuid();
    let (phones, emails) = ContactPlan::addresses(rows);
    let known = Statement::<SqlTypeOf<AsSelect<StoredRow, Pg>>>::returning(&[STORED_CONTACTS])
        .bind::<Array<Text>, _>(phones)
        .bind::<SqlUuid, _>(organization)
        .bind::<Array<Text>, _>(emails)
        .bind::<SqlUuid, _>(organization)
        .bind::<SqlUuid, _>(organization);
    let rows: Vec<StoredRow> = known.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Contact::try_from).collect()
}

/// The planner's statistics are minutes old, from before the file: it would read all contacts of
/// the organization for each part. A part locks the counts before its last contacts, a request
/// after its only one, so the two may wait for each other: the part gives way before the server
/// would cancel the request, which it does after a second.
const BEGIN: &str = "\
    BEGIN; SET LOCAL lock_timeout = '250ms'; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; \
    SET LOCAL enable_sort = off; SET LOCAL jit = off";

/// An address is looked up in a range of its own, by the only index that has it in order. For
/// `phone = ?` every index that begins with the organization would qualify, and with wrong
/// statistics the planner takes another one.
const STORED_CONTACTS: &str = "\
    SELECT contact.* FROM ( \
        SELECT id FROM ( \
            SELECT found.id FROM UNNEST(?) AS given (phone) CROSS JOIN LATERAL ( \
                SELECT id FROM contacts WHERE organization_id = ? \
                    AND phone BETWEEN given.phone AND given.phone ORDER BY phone LIMIT 1) AS found \
            UNION \
            SELECT found.id FROM UNNEST(?) AS given (email) CROSS JOIN LATERAL ( \
                SELECT id FROM contacts WHERE organization_id = ? \
                    AND email BETWEEN given.email AND given.email ORDER BY email LIMIT 1) AS found \
        ) AS either ORDER BY id \
    ) AS known CROSS JOIN LATERAL ( \
        SELECT id, organization_id, first_name, last_name, phone, email, country_code, tags, \
            fcm_token, attributes, created_at, consent_at, consent_source \
        FROM contacts WHERE organization_id = ? AND id = known.id FOR NO KEY UPDATE \
    ) AS contact";

/// The organization is bound as a column, so that no index is read by the organization alone.
const UPDATE_CONTACTS: &[&str] = &[
    "UPDATE contacts AS contact SET first_name = given.first_name, last_name = given.last_name, \
        phone = given.phone, email = given.email, country_code = given.country_code, \
        tags = given.tags::text[], fcm_token = given.fcm_token, attributes = given.attributes, \
        first_name_folded = given.first_name_folded, last_name_folded = given.last_name_folded, \
        tags_folded = given.tags_folded::text[], attributes_folded = given.attributes_folded, \
        search_text = given.search_text, consent_at = given.consent_at, \
        consent_source = given.consent_source, updated_at = now() \
    FROM (SELECT ?::uuid AS organization_id, given.* FROM ",
    GIVEN,
    " OFFSET 0) AS given \
    WHERE contact.organization_id = ANY(ARRAY[given.organization_id]) \
        AND contact.id = ANY(ARRAY[given.id])",
];

const INSERT_CONTACTS: &[&str] = &[
    "INSERT INTO contacts (organization_id, id, first_name, last_name, phone, email, country_code, \
        tags, fcm_token, attributes, created_at, first_name_folded, last_name_folded, tags_folded, \
        attributes_folded, search_text, consent_at, consent_source, updated_at) \
    SELECT ?, id, first_name, last_name, phone, email, country_code, tags::text[], fcm_token, \
        attributes, created_at, first_name_folded, last_name_folded, tags_folded::text[], \
        attributes_folded, search_text, consent_at, consent_source, created_at FROM ",
    GIVEN,
];
