//! Rows of people whose contacts were deleted after their file was uploaded.

use std::collections::HashSet;

use domain::{
    audience::import::{ContactPlan, ContactRow, Row, RowError},
    shared::address::Address,
};
use ports::{audience::imports::LeasedChunk, shared::store::StoreError};

use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

const DELETED: &str = "the contact was deleted after this file had come in";

row! {
    /// Addresses of a person who is to be erased.
    struct ErasedRow {
        phone: Option<String>,
        email: Option<String>,
    }
}

/// Returns the rows, with those failed that would recreate a person who is to be erased. Must be
/// called when the existing contacts are locked, so that none is deleted meanwhile.
pub(super) async fn refuse_erased(
    conn: &mut Connection,
    chunk: &LeasedChunk,
    rows: &[Row<ContactRow>],
) -> Result<Vec<Row<ContactRow>>, StoreError> {
    let (phones, emails) = ContactPlan::addresses(rows);
    let erased = sql!(
        "SELECT phone, email FROM contact_erasures WHERE organization_id = {organization} \
            AND requested_at > (SELECT created_at FROM imports \
                WHERE organization_id = {organization} AND id = {import}) \
            AND (phone = ANY({phones}) OR email = ANY({emails}))",
        organization = chunk.organization,
        import = chunk.import,
        phones,
        emails,
    );
    let erased: Vec<ErasedRow> = erased.rows(conn).await?;
    let erased: HashSet<String> =
        erased.into_iter().flat_map(|row| [row.phone, row.email]).flatten().collect();
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
