//! Failure of imports that cannot continue.

use domain::messaging::job::Lease;
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

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
        let fail = sql!(
            FAIL,
            organization = self.organization,
            import,
            lease = self.lease.0,
            row = self.row,
            reason,
        );
        fail.execute(conn).await?;
        Ok(())
    }
}

const FAIL: &str = "\
    WITH ended AS ( \
        UPDATE imports SET status = 'FAILED', completed_at = now(), lease = NULL, \
            failed_rows = total_rows - created_rows - updated_rows \
        WHERE organization_id = {organization} AND id = {import} AND lease = {lease} \
        RETURNING organization_id, id \
    ), gone AS ( \
        DELETE FROM import_chunks AS chunk USING ended \
        WHERE chunk.organization_id = ANY(ARRAY[ended.organization_id]) \
            AND chunk.import_id = ANY(ARRAY[ended.id]) \
    ) \
    INSERT INTO import_errors (organization_id, import_id, row_number, reason) \
    SELECT organization_id, id, {row}::integer, {reason}::text FROM ended";
