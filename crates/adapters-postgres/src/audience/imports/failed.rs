//! Failure of imports that cannot continue.

use diesel::sql_types::{Integer, Text, Uuid as SqlUuid};
use domain::messaging::job::Lease;
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Import that cannot continue, from the named row on.
pub(super) struct Failed {
    pub(super) organization: Uuid,
    pub(super) import: Uuid,
    pub(super) lease: Lease,
    pub(super) row: i32,
}

impl Failed {
    pub(super) async fn write(
        &self,
        conn: &mut Connection,
        reason: &str,
    ) -> Result<(), StoreError> {
        let import = self.import;
        tracing::error!(%import, row = self.row, reason, "gave up an import");
        Statement::new(&[FAIL])
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
