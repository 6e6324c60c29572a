//! Figures of the server that show a disk that fills: the size of the database, and the log that is
//! kept.

use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

/// Figures of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerFigures {
    /// Size of the database in bytes.
    pub database_bytes: u64,
    /// Size of the write-ahead log that the replication slot that is furthest behind keeps, in bytes.
    pub wal_kept_bytes: u64,
    /// True if the last attempt to archive the write-ahead log failed.
    pub is_archiving_failing: bool,
}

row! {
    struct FiguresRow {
        database_bytes: i64,
        wal_kept_bytes: i64,
        is_archiving_failing: bool,
    }
}

impl PgStore {
    /// Returns the figures of the server. Any role may read them.
    pub async fn server_figures(&self) -> Result<ServerFigures, StoreError> {
        let row: FiguresRow = sql!(FIGURES).only_row(self.session().await?.conn()).await?;
        Ok(ServerFigures {
            database_bytes: row.database_bytes.unsigned_abs(),
            wal_kept_bytes: row.wal_kept_bytes.max(0).unsigned_abs(),
            is_archiving_failing: row.is_archiving_failing,
        })
    }
}

const FIGURES: &str = "\
    SELECT pg_database_size(current_database()) AS database_bytes, \
        (SELECT coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::bigint \
            FROM pg_replication_slots) AS wal_kept_bytes, \
        (SELECT current_setting('archive_mode') <> 'off' \
                AND coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) \
            FROM pg_stat_archiver) AS is_archiving_failing";
