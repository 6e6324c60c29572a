//! Migration of a database to the schema that this version needs.

mod releases;

use std::{collections::HashSet, error::Error as StdError, thread, time::Duration};

use diesel::{
    ConnectionError, RunQueryDsl,
    connection::SimpleConnection,
    dsl::sql,
    migration::{Migration, MigrationSource, MigrationVersion},
    pg::Pg,
    sql_types::{Integer, Nullable, Text},
};
use diesel_async::AsyncPgConnection;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use thiserror::Error;
use tokio::{
    task::{JoinError, spawn_blocking},
    time::sleep,
};

pub use self::releases::SCHEMA_RELEASE;
use crate::shared::{
    database::{
        config_error::ConfigError,
        connections::Connections,
        database_checks::{self, BlockingConnection, Failure},
        partitions::{MONTHS_AHEAD, PARTITIONED},
        server_version,
        start_options::Purpose,
    },
    error::is_about_locks,
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// The first migration. It has the version of the last one of a chain that it replaced, so that a
/// database that had all of these continues.
pub(crate) const BASELINE: &str = "20261124000480";

/// Lets one instance in at a time, until its connection ends.
const LOCK: &str = "SELECT pg_advisory_lock(hashtext('atumpan migrations'))";

/// Instances of the version before continue while a migration runs. They wait behind it while it
/// waits for a table that others use, so it waits for a moment only, and is tried again for five
/// minutes.
const WAIT_SHORTLY: &str = "SET lock_timeout = '200ms'";
const WAIT: &str = "SET lock_timeout = 0";
const TRIES: u32 = 150;
/// Maximum number of restarts when the connection is lost again and again: half a minute.
const BEGINNINGS: u32 = 15;
const PAUSE: Duration = Duration::from_secs(2);

/// Failure to migrate a database.
#[derive(Debug, Error)]
pub enum MigrationError {
    /// The address of the database is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database cannot be reached.
    #[error("the database cannot be reached")]
    Connection(#[from] ConnectionError),
    /// A migration failed; those before it stay.
    #[error("the database cannot be migrated")]
    Migration(#[source] Box<dyn StdError + Send + Sync>),
    /// The work was interrupted.
    #[error("the migration was interrupted")]
    Interrupted(#[from] JoinError),
}

/// Applies the missing migrations to the database at `url` and creates the partitions of the coming
/// months. Any number of instances may do so at once.
pub async fn migrate(url: &str) -> Result<(), MigrationError> {
    let connections = Connections::new(url, Purpose::Migrations)?;
    let mut conn = connections.establish().await?;
    for left in (0..BEGINNINGS).rev() {
        match spawn_blocking(move || begin(conn)).await? {
            Ok(()) => return Ok(()),
            Err(Broken { error, is_lost: true }) if left > 0 => {
                tracing::warn!(%error, "lost the connection while migrating the database");
            }
            Err(Broken { error, .. }) => return Err(MigrationError::Migration(error)),
        }
        conn = again(&connections).await?;
    }
    Ok(())
}

/// Returns the versions of the migrations that this program knows.
pub(crate) fn known_versions() -> Result<Vec<String>, Box<dyn StdError + Send + Sync>> {
    let migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations()?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// Connects again, as soon as the server allows it.
async fn again(connections: &Connections) -> Result<AsyncPgConnection, ConnectionError> {
    for _ in 1..BEGINNINGS {
        sleep(PAUSE).await;
        match connections.establish().await {
            Ok(conn) => return Ok(conn),
            Err(error) => tracing::warn!(%error, "failed to reach the database again"),
        }
    }
    connections.establish().await
}

/// Error that ended a migration, with true if the connection is unusable.
struct Broken {
    error: Failure,
    is_lost: bool,
}

fn begin(conn: AsyncPgConnection) -> Result<(), Broken> {
    let mut conn: BlockingConnection = conn.into();
    run(&mut conn)
        .map_err(|error| Broken { error, is_lost: conn.batch_execute("ROLLBACK").is_err() })
}

fn run(conn: &mut BlockingConnection) -> Result<(), Failure> {
    check_version(conn)?;
    database_checks::check(conn)?;
    conn.batch_execute(LOCK)?;
    conn.batch_execute(WAIT_SHORTLY)?;
    refuse_older(conn)?;
    releases::refuse_newer(conn)?;
    apply(conn)?;
    conn.batch_execute(WAIT)?;
    warn_of_newer(conn)?;
    // Messages with a wrong clock can block the creation of a partition. They are no reason not to
    // start: until they are moved, others follow them into the default partition.
    for table in PARTITIONED {
        for ahead in 0..=MONTHS_AHEAD {
            let prepare = format!("SELECT prepare_month('{table}', {ahead})");
            if let Err(error) = conn.batch_execute(&prepare) {
                tracing::error!(%error, table, months_ahead = ahead, "failed to create a partition");
            }
        }
    }
    analyze(conn)
}

/// Updates the planner's statistics: plans made while the tables were smaller would continue to
/// read them from end to end. Empty tables are skipped: without statistics the planner assumes some
/// rows, but an analyzed one counts as empty until it is analyzed again.
fn analyze(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let filled: Option<String> = diesel::select(sql::<Nullable<Text>>(FILLED)).get_result(conn)?;
    if let Some(tables) = filled {
        conn.batch_execute(&format!("ANALYZE {tables}"))?;
    }
    Ok(())
}

const FILLED: &str = "\
    (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class \
    WHERE relnamespace = current_schema()::regnamespace AND (relkind = 'r' AND pg_relation_size(oid) > 0 \
        OR relkind = 'p' AND EXISTS (SELECT FROM pg_inherits \
            WHERE inhparent = pg_class.oid AND pg_relation_size(inhrelid) > 0)))";

/// Fails for a database that lacks migrations which the baseline replaced.
fn refuse_older(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let baseline = MigrationVersion::from(BASELINE);
    let applied = conn.applied_migrations()?;
    match applied.iter().max() {
        Some(newest) if !applied.contains(&baseline) => Err(format!(
            "its newest migration is {newest}, and upgrades begin at {BASELINE}: it belongs to a \
             development version; start with an empty database"
        )
        .into()),
        _ => Ok(()),
    }
}

/// Applies missing migrations. Each is a transaction, so finished ones stay.
fn apply(conn: &mut BlockingConnection) -> Result<(), Failure> {
    for left in (0..TRIES).rev() {
        match conn.run_pending_migrations(MIGRATIONS) {
            Err(error) if left > 0 && is_about_locks(&error.to_string()) => {
                tracing::warn!(%error, "a migration waits for a table that others use");
                thread::sleep(PAUSE);
            }
            applied => return applied.map(drop),
        }
    }
    Ok(())
}

fn check_version(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let number = sql::<Integer>("current_setting('server_version_num')::integer");
    let number: i32 = diesel::select(number).get_result(conn)?;
    Ok(server_version::check(number.cast_unsigned())?)
}

/// Warns if the database was migrated by the next release, which made sure that this one can continue.
fn warn_of_newer(conn: &mut BlockingConnection) -> Result<(), Failure> {
    let migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations()?;
    let known: HashSet<_> = migrations.iter().map(|it| it.name().version().as_owned()).collect();
    let mut unknown = conn.applied_migrations()?;
    let baseline = MigrationVersion::from(BASELINE);
    unknown.retain(|version| *version > baseline && !known.contains(version));
    // The newest comes first.
    if let Some(newest) = unknown.first() {
        tracing::warn!(
            migrations = unknown.len(),
            newest = %newest,
            "the database was migrated by a newer version"
        );
    }
    Ok(())
}
