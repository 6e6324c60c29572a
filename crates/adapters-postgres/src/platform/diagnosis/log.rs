//! Consumers of the write-ahead log: replicas, replication slots and the archive.

use ports::shared::store::StoreError;

use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    /// Replica that streams the log.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Replica {
        /// Name of the replica.
        pub name: String,
        /// Number of bytes of the log that it has not replayed; `None` if the role may not see it.
        pub bytes_behind: Option<i64>,
        /// Seconds from a commit to its replay, as measured last; `None` if nothing was measured.
        pub seconds_behind: Option<f64>,
    }
}

row! {
    /// Replication slot. It keeps the log from being removed until its consumer has read it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReplicationSlot {
        /// Name of the slot.
        pub name: String,
        /// True if a consumer is connected.
        pub is_active: bool,
        /// True if the slot has lost a part of the log, or is about to.
        pub is_lost: bool,
        /// Number of bytes of the log that it keeps; `None` if it keeps none.
        pub bytes_kept: Option<i64>,
    }
}

row! {
    /// State of the archive of the log.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Archiving {
        /// True if the server archives the log.
        pub is_on: bool,
        /// True if the last attempt failed.
        pub is_failing: bool,
        /// Number of failed attempts since the statistics were reset.
        pub failures: i64,
    }
}

impl PgStore {
    /// Returns the replicas that are connected.
    pub async fn replicas(&self) -> Result<Vec<Replica>, StoreError> {
        sql!(REPLICAS).rows(self.session().await?.conn()).await
    }

    /// Returns the replication slots that outlive their connections.
    pub async fn replication_slots(&self) -> Result<Vec<ReplicationSlot>, StoreError> {
        sql!(SLOTS).rows(self.session().await?.conn()).await
    }

    /// Returns the state of the archive.
    pub async fn archiving(&self) -> Result<Archiving, StoreError> {
        sql!(ARCHIVING).only_row(self.session().await?.conn()).await
    }
}

/// A base backup under way is listed as a replica, too.
const REPLICAS: &str = "\
    SELECT coalesce(application_name, '') AS name, \
        pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() \
            ELSE pg_current_wal_lsn() END, replay_lsn)::bigint AS bytes_behind, \
        extract(epoch FROM replay_lag)::double precision AS seconds_behind \
    FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY name";

const SLOTS: &str = "\
    SELECT slot_name::text AS name, active AS is_active, \
        coalesce(wal_status IN ('unreserved', 'lost'), false) AS is_lost, \
        pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() \
            ELSE pg_current_wal_lsn() END, restart_lsn)::bigint AS bytes_kept \
    FROM pg_replication_slots WHERE NOT temporary ORDER BY slot_name";

const ARCHIVING: &str = "\
    SELECT current_setting('archive_mode') <> 'off' AS is_on, \
        coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS is_failing, \
        failed_count AS failures \
    FROM pg_stat_archiver";
