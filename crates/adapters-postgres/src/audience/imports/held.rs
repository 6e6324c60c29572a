//! Files that are held: uploads whose chunks are their bytes, and have no rows.

use domain::{
    audience::import::{Import, ImportKind},
    identity::organization::Organization,
    shared::id::Id,
};
use ports::{
    audience::imports::{HELD_ROW, HeldFile},
    shared::store::StoreError,
};

use super::integer;
use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

row! {
    struct HeldRow {
        file_name: Option<String>,
        chunks: i64,
    }
}

/// Finds a held file.
pub(super) async fn find(
    conn: &mut Connection,
    organization: Id<Organization>,
    kind: ImportKind,
    id: Id<Import>,
) -> Result<Option<HeldFile>, StoreError> {
    let find = sql!(
        "SELECT file_name, count(*) AS chunks FROM imports JOIN import_chunks \
            ON import_chunks.organization_id = imports.organization_id AND import_id = id \
         WHERE imports.organization_id = {organization} AND id = {id} AND kind = {kind} \
            AND status = 'UPLOADING' AND first_row = {first_row} \
         GROUP BY file_name",
        organization,
        id,
        kind = kind.as_str(),
        first_row = integer(HELD_ROW),
    );
    let found: Option<HeldRow> = find.row(conn).await?;
    Ok(found.map(|row| HeldFile {
        name: row.file_name,
        chunks: u32::try_from(row.chunks).unwrap_or_default(),
    }))
}

/// Returns the bytes of a chunk of a held file.
pub(super) async fn chunk(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Import>,
    number: u32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let chunk = sql!(
        "SELECT bytes FROM import_chunks \
         WHERE organization_id = {organization} AND import_id = {id} AND number = {number} \
            AND first_row = {first_row}",
        organization,
        id,
        number = integer(number),
        first_row = integer(HELD_ROW),
    );
    chunk.value(conn).await
}
