//! Bringing a database to the form that this version needs.

use std::error::Error as StdError;

use diesel::{
    ConnectionError, RunQueryDsl, connection::SimpleConnection, dsl::sql, sql_types::Text,
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use thiserror::Error;
use tokio::task::{JoinError, spawn_blocking};

use crate::{
    connections::{ConfigError, Connections},
    maintenance::{MONTHS_AHEAD, PARTITIONED},
    start_options::Purpose,
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");

/// Lets one instance in at a time, until its connection ends.
const LOCK: &str = "SELECT pg_advisory_lock(hashtext('atumpan migrations'))";

/// A database could not be brought up to date.
#[derive(Debug, Error)]
pub enum MigrationError {
    /// The address of the database is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database cannot be reached.
    #[error("the database cannot be reached")]
    Connection(#[from] ConnectionError),
    /// A migration failed; those before it stay.
    #[error("the database cannot be migrated")]
    Migration(#[source] Box<dyn StdError + Send + Sync>),
    /// The work was cut short.
    #[error("the migration was interrupted")]
    Interrupted(#[from] JoinError),
}

/// Applies the migrations that the database at `url` lacks and makes room for the messages of the
/// coming months. Any number of instances may do so at once.
pub async fn migrate(url: &str) -> Result<(), MigrationError> {
    let conn = Connections::new(url, Purpose::Migrations)?.establish().await?;
    spawn_blocking(move || run(conn)).await?.map_err(MigrationError::Migration)
}

fn run(conn: AsyncPgConnection) -> Result<(), Box<dyn StdError + Send + Sync>> {
    let mut conn: AsyncConnectionWrapper<AsyncPgConnection> = conn.into();
    conn.batch_execute(LOCK)?;
    conn.run_pending_migrations(MIGRATIONS)?;
    // Messages of a clock that is wrong can be in the way of a partition. They are no reason not
    // to start: until they are moved, others follow them into the default partition.
    for table in PARTITIONED {
        for ahead in 0..=MONTHS_AHEAD {
            let prepare = format!("SELECT prepare_month('{table}', {ahead})");
            if let Err(error) = conn.batch_execute(&prepare) {
                tracing::error!(%error, table, months_ahead = ahead, "failed to create a partition");
            }
        }
    }
    check_language(&mut conn)?;
    // Plans made while the tables were empty would go on reading them from end to end.
    conn.batch_execute("ANALYZE")?;
    Ok(())
}

/// Tells if what is wrong will be told in a language in which it is not understood: this connection,
/// like all others, asked for English.
fn check_language(
    conn: &mut AsyncConnectionWrapper<AsyncPgConnection>,
) -> Result<(), Box<dyn StdError + Send + Sync>> {
    let language = sql::<Text>("current_setting('lc_messages')");
    let language: String = diesel::select(language).get_result(conn)?;
    let is_english = ["", "C", "POSIX"].contains(&language.as_str())
        || ["C.", "en"].iter().any(|english| language.starts_with(english));
    if !is_english {
        tracing::warn!(
            language,
            "the messages of PostgreSQL are not in English, so outages may be taken for faults; \
             grant SET ON PARAMETER lc_messages to the service's role"
        );
    }
    Ok(())
}
