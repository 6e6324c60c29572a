//! Measured system: the service as a process of its own, on a private PostgreSQL with full
//! durability.

use std::{
    error::Error,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use tokio_postgres::{Client, NoTls};

/// Secret that signs the sessions of the benchmarks.
const JWT_SECRET: &str = "the secret of benchmarks signs nothing else";
/// Key of the tokens in the addresses of callbacks.
pub(crate) const CALLBACK_SECRET: &str = "the key of callbacks in benchmarks alone";
/// Number of delivery workers, in rows with deliveries.
pub(crate) const WORKERS: u32 = 256;

/// Writes 1 GB into the write-ahead log and keeps its files for reuse: a server that has run for a
/// while has such files, and a new one stops for each until it is created.
const WARM: &str = "\
    CREATE TABLE warm (text text) WITH (autovacuum_enabled = off); \
    ALTER TABLE warm ALTER text SET STORAGE EXTERNAL; \
    INSERT INTO warm SELECT repeat(md5(number::text), 256) FROM generate_series(1, 130000) AS number; \
    DROP TABLE warm; CHECKPOINT";

/// Server of the databases, and its folder.
pub(crate) struct Harness {
    postgres: EmbeddedPostgres,
    folder: PathBuf,
}

/// Migrated database.
#[derive(Clone)]
pub(crate) struct Database {
    url: String,
    client: Arc<Client>,
}

/// Running service.
pub(crate) struct Service {
    process: testkit::Service,
    _home: tempfile::TempDir,
}

impl Harness {
    /// Starts PostgreSQL in `folder`.
    pub(crate) async fn start(folder: &Path) -> Result<Self, Box<dyn Error>> {
        std::fs::create_dir_all(folder)?;
        let options = Options { data_dir: folder.to_owned(), durability: Durability::Full };
        let postgres = EmbeddedPostgres::start(options).await?;
        Database::connect(postgres.url().to_owned()).await?.execute(WARM).await?;
        Ok(Self { postgres, folder: folder.to_owned() })
    }

    /// Returns the version that PostgreSQL reports.
    pub(crate) async fn version(&self) -> Result<String, Box<dyn Error>> {
        let home = Database::connect(self.postgres.url().to_owned()).await?;
        let version = home.client.query_one("SHOW server_version", &[]).await?;
        Ok(version.try_get(0)?)
    }

    /// Creates a database of that name.
    pub(crate) async fn database(&self, name: &str) -> Result<Database, Box<dyn Error>> {
        self.drop(name).await?;
        let home = Database::connect(self.postgres.url().to_owned()).await?;
        home.execute(&format!("CREATE DATABASE {name}")).await?;
        let url = self.postgres.url().replace("/atumpan?", &format!("/{name}?"));
        let migrated = testkit::built()?.arg("migrate").env("DATABASE_URL", &url).status()?;
        if !migrated.success() {
            return Err("the database cannot be migrated".into());
        }
        Database::connect(url).await
    }

    /// Removes a database. Otherwise the server would go on with its maintenance while another is
    /// measured.
    pub(crate) async fn drop(&self, name: &str) -> Result<(), Box<dyn Error>> {
        let home = Database::connect(self.postgres.url().to_owned()).await?;
        home.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await
    }

    /// Stops PostgreSQL and removes the databases.
    pub(crate) async fn stop(self) -> Result<(), Box<dyn Error>> {
        self.postgres.stop().await?;
        std::fs::remove_dir_all(self.folder)?;
        Ok(())
    }
}

impl Database {
    async fn connect(url: String) -> Result<Self, Box<dyn Error>> {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        Ok(Self { url, client: Arc::new(client) })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the major version of the server.
    pub(crate) async fn major_version(&self) -> Result<i64, Box<dyn Error>> {
        self.number("SELECT current_setting('server_version_num')::bigint / 10000").await
    }

    /// Runs statements.
    pub(crate) async fn execute(&self, statements: &str) -> Result<(), Box<dyn Error>> {
        Ok(self.client.batch_execute(statements).await?)
    }

    /// Returns the single number of a query.
    pub(crate) async fn number(&self, query: &str) -> Result<i64, Box<dyn Error>> {
        Ok(self.client.query_one(query, &[]).await?.try_get(0)?)
    }
}

impl Service {
    /// Starts the service with that number of delivery workers; without any it only accepts
    /// messages.
    pub(crate) fn start(database: &Database, workers: u32) -> Result<Self, Box<dyn Error>> {
        Self::start_with(database, workers, "")
    }

    /// Starts the service with the text as its providers file.
    pub(crate) fn start_with(
        database: &Database,
        workers: u32,
        providers: &str,
    ) -> Result<Self, Box<dyn Error>> {
        Self::start_set(database, workers, providers, &[])
    }

    /// Starts the service with the text as its providers file, and with more settings.
    pub(crate) fn start_set(
        database: &Database,
        workers: u32,
        providers: &str,
        settings: &[(&str, &str)],
    ) -> Result<Self, Box<dyn Error>> {
        let home = tempfile::tempdir()?;
        let file = home.path().join("providers.toml");
        std::fs::write(&file, providers)?;
        let mut command = testkit::built()?;
        command
            .arg("serve")
            .env("DATABASE_URL", database.url())
            .env("ATUMPAN_DATA_DIR", home.path())
            .env("ATUMPAN_PROVIDERS", &file)
            .env("ATUMPAN_TRIAL_CREDIT_GHS", "9000000")
            .env("ATUMPAN_WORKERS", workers.to_string())
            // Sessions hold when the service is started again.
            .env("ATUMPAN_JWT_SECRET", JWT_SECRET)
            .env("ATUMPAN_CALLBACK_SECRET", CALLBACK_SECRET)
            .env("RUST_LOG", "warn")
            .envs(settings.iter().copied());
        Ok(Self { process: testkit::Service::start(&mut command)?, _home: home })
    }

    /// Starts the bare program of the [ceiling](crate::ceiling) in its place. With `delivers` it also
    /// hands messages over.
    pub(crate) fn start_bare(database: &Database, delivers: bool) -> Result<Self, Box<dyn Error>> {
        let mut command = testkit::command(std::env::current_exe()?);
        command.args(["--serve-ceiling", database.url()]);
        if delivers {
            command.arg("--ceiling-delivers");
        }
        let process = testkit::Service::start(&mut command)?;
        Ok(Self { process, _home: tempfile::tempdir()? })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.process.address()
    }

    /// Returns the process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Lets it finish its work.
    pub(crate) fn stop(mut self) -> Result<(), Box<dyn Error>> {
        Ok(self.process.stop()?)
    }
}
