//! Lookup and writing of the contacts of a part of a file.

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

use super::{contact_columns::ContactColumns, erased::refuse_erased, imported_contacts};
use crate::{
    audience::contacts::row::ContactRow as StoredRow,
    shared::{
        database::{
            connection::Connection,
            session::{PgSession, PgStore},
        },
        error::store_error,
        query::sql::sql,
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
    for ContactStep { changed, new } in &plan.steps {
        if !changed.is_empty() {
            ContactColumns::of(changed).update(conn, chunk.organization).await?;
        }
        if !new.is_empty() {
            ContactColumns::of(new).insert(conn, chunk.organization).await?;
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
    let (phones, emails) = ContactPlan::addresses(rows);
    let known = sql!(STORED_CONTACTS, phones, emails, organization);
    let rows: Vec<StoredRow> = known.rows(conn).await?;
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
/// `phone = …` every index that begins with the organization would qualify, and with wrong
/// statistics the planner takes another one.
const STORED_CONTACTS: &str = "\
    SELECT contact.* FROM ( \
        SELECT id FROM ( \
            SELECT found.id FROM UNNEST({phones}::text[]) AS given (phone) CROSS JOIN LATERAL ( \
                SELECT id FROM contacts WHERE organization_id = {organization} \
                    AND phone BETWEEN given.phone AND given.phone ORDER BY phone LIMIT 1) AS found \
            UNION \
            SELECT found.id FROM UNNEST({emails}::text[]) AS given (email) CROSS JOIN LATERAL ( \
                SELECT id FROM contacts WHERE organization_id = {organization} \
                    AND email BETWEEN given.email AND given.email ORDER BY email LIMIT 1) AS found \
        ) AS either ORDER BY id \
    ) AS known CROSS JOIN LATERAL ( \
        SELECT id, organization_id, first_name, last_name, phone, email, country_code, tags, \
            fcm_token, attributes, created_at, consent_at, consent_source \
        FROM contacts WHERE organization_id = {organization} AND id = known.id FOR NO KEY UPDATE \
    ) AS contact";
