//! Rows of people whose contacts were deleted after their file was uploaded.

use std::collections::HashSet;

use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::{
    audience::import::{ContactPlan, ContactRow, Row, RowError},
    shared::address::Address,
};
use ports::{audience::imports::LeasedChunk, shared::store::StoreError};

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

const DELETED: &str = "the contact was deleted after this file had come in";

/// Returns the rows, with those failed that would recreate a person who is to be erased. Must be
/// called when the existing contacts are locked, so that none is deleted meanwhile.
pub(super) async fn refuse_erased(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    rows: &[Row<ContactRow>],
) -> Result<Vec<Row<ContactRow>>, StoreError> {
    let (phones, emails) = ContactPlan::addresses(rows);
    let erased = Statement::<(Nullable<Text>, Nullable<Text>)>::returning(&[ERASED])
        .bind::<SqlUuid, _>(chunk.organization.uuid())
        .bind::<SqlUuid, _>(chunk.organization.uuid())
        .bind::<SqlUuid, _>(chunk.import.uuid())
        .bind::<Array<Text>, _>(phones)
        .bind::<Array<Text>, _>(emails);
    let erased: Vec<(Option<String>, Option<String>)> =
        erased.load(conn).await.map_err(store_error)?;
    let erased: HashSet<String> =
        erased.into_iter().flat_map(|(phone, email)| [phone, email]).flatten().collect();
    let is_erased = |address: &Option<Address>| {
        address.as_ref().is_some_and(|address| erased.contains(address.as_str()))
    };
    let checked = rows.iter().map(|row| match &row.content {
        Ok(it) if is_erased(&it.contact.phone) || is_erased(&it.contact.email) => {
            Row::whole(row.number, Err(RowError::whole(row.number, DELETED)))
        }
        _ => row.clone(),
    });
    Ok(checked.collect())
}

const ERASED: &str = "\
    SELECT phone, email FROM contact_erasures WHERE organization_id = ? \
        AND requested_at > (SELECT created_at FROM imports WHERE organization_id = ? AND id = ?) \
        AND (phone = ANY(?) OR email = ANY(?))";
