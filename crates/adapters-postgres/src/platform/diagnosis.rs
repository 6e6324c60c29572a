//! Facts about the server and the schema, for the diagnosis of an installation. All statements only read,
//! and each has a limit of a few seconds.

mod log;
mod schema;

use chrono::{DateTime, Utc};
use ports::shared::store::StoreError;

pub use self::{
    log::{Archiving, Replica, ReplicationSlot},
    schema::{JobsTable, MigrationState, MissingPartition},
};
use crate::shared::{
    database::session::PgStore,
    query::{row::row, sql::sql},
};

row! {
    /// State and settings of the server, as a connection of the service sees them.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ServerState {
        /// Version as a number, such as 150014.
        pub version: i32,
        /// Encoding of the database.
        pub encoding: String,
        /// True if commits are written to the disk (`fsync`).
        pub has_fsync: bool,
        /// True if pages are written whole after a checkpoint (`full_page_writes`).
        pub has_full_page_writes: bool,
        /// Setting `synchronous_commit`.
        pub synchronous_commit: String,
        /// True if the server is a standby, which takes no writes.
        pub is_standby: bool,
        /// True if this connection is encrypted.
        pub is_encrypted: bool,
        /// Time of the server.
        pub clock: DateTime<Utc>,
    }
}

row! {
    /// Rights of the role in the database and in the schema.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Rights {
        /// Name of the role.
        pub role: String,
        /// True if the role may create tables in the schema.
        pub may_create_tables: bool,
        /// True if the role may create temporary tables.
        pub may_create_temporary_tables: bool,
        /// True if the role may create extensions that PostgreSQL trusts.
        pub may_create_extensions: bool,
        /// Number of tables that belong to other roles, so that this one cannot change them.
        pub foreign_tables: i64,
        /// Extensions that the schema needs and the database lacks.
        pub missing_extensions: Vec<String>,
    }
}

impl PgStore {
    /// Returns the state and the settings of the server.
    pub async fn server_state(&self) -> Result<ServerState, StoreError> {
        sql!(SERVER).only_row(self.session().await?.conn()).await
    }

    /// Returns the rights of the role.
    pub async fn rights(&self) -> Result<Rights, StoreError> {
        sql!(RIGHTS).only_row(self.session().await?.conn()).await
    }

    /// Returns the age in seconds of the oldest open transaction in the database, as far as the role may
    /// see; `None` if there is none.
    pub async fn oldest_transaction(&self) -> Result<Option<f64>, StoreError> {
        sql!(OLDEST_TRANSACTION).only(self.session().await?.conn()).await
    }
}

const SERVER: &str = "\
    SELECT current_setting('server_version_num')::integer AS version, \
        pg_encoding_to_char(encoding)::text AS encoding, \
        current_setting('fsync') = 'on' AS has_fsync, \
        current_setting('full_page_writes') = 'on' AS has_full_page_writes, \
        current_setting('synchronous_commit') AS synchronous_commit, \
        pg_is_in_recovery() AS is_standby, \
        coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS is_encrypted, \
        clock_timestamp() AS clock \
    FROM pg_database WHERE datname = current_database()";

const RIGHTS: &str = "\
    SELECT session_user::text AS role, \
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create_tables, \
        has_database_privilege(current_database(), 'TEMPORARY') AS may_create_temporary_tables, \
        has_database_privilege(current_database(), 'CREATE') AS may_create_extensions, \
        (SELECT count(*) FROM pg_class \
            WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') \
                AND NOT pg_has_role(relowner, 'USAGE')) AS foreign_tables, \
        ARRAY(SELECT name FROM unnest(ARRAY['pg_trgm', 'btree_gin']) AS needed (name) \
            WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = name)) \
            AS missing_extensions";

/// Prepared transactions are open too. An ordinary role does not see when those of others began.
const OLDEST_TRANSACTION: &str = "\
    SELECT extract(epoch FROM clock_timestamp() - least( \
        (SELECT min(xact_start) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid() \
                AND backend_type = 'client backend'), \
        (SELECT min(prepared) FROM pg_prepared_xacts WHERE database = current_database()) \
    ))::double precision AS seconds";
