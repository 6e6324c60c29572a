//! Files that are held: uploads whose chunks are their bytes, and have no rows.

use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Binary, Integer, Nullable, Text, Uuid as SqlUuid},
};
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
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Finds a held file.
pub(super) async fn find(
    conn: &mut Connection,
    organization: Id<Organization>,
    kind: ImportKind,
    id: Id<Import>,
) -> Result<Option<HeldFile>, StoreError> {
    let find = Statement::<(Nullable<Text>, BigInt)>::returning(&[FIND])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(id.uuid())
        .bind::<Text, _>(kind.as_str())
        .bind::<Integer, _>(integer(HELD_ROW));
    let found: Option<(Option<String>, i64)> =
        find.get_result(conn).await.optional().map_err(store_error)?;
    Ok(found
        .map(|(name, chunks)| HeldFile { name, chunks: u32::try_from(chunks).unwrap_or_default() }))
}

/// Returns the bytes of a chunk of a held file.
pub(super) async fn chunk(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Import>,
    number: u32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let chunk = Statement::<Binary>::returning(&[CHUNK])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(id.uuid())
        .bind::<Integer, _>(integer(number))
        .bind::<Integer, _>(integer(HELD_ROW));
    chunk.get_result(conn).await.optional().map_err(store_error)
}

const FIND: &str = "\
    SELECT file_name, count(*) FROM imports JOIN import_chunks \
        ON import_chunks.organization_id = imports.organization_id AND import_id = id \
    WHERE imports.organization_id = ? AND id = ? AND kind = ? AND status = 'UPLOADING' \
        AND first_row = ? \
    GROUP BY file_name";

const CHUNK: &str = "\
    SELECT bytes FROM import_chunks \
    WHERE organization_id = ? AND import_id = ? AND number = ? AND first_row = ?";
