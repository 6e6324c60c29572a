//! One throw-away cluster for each test binary. Tenants separate tests; a test that reads the whole
//! platform, or runs a service, has its own database.

use std::sync::atomic::{AtomicU32, Ordering};

use app::embedded::{Durability, EmbeddedPostgres, Options};
use tempfile::TempDir;
use testkit::shared_folder;
use tokio::sync::OnceCell;
use tokio_postgres::NoTls;

static CLUSTER: OnceCell<EmbeddedPostgres> = OnceCell::const_new();
static TEMPLATE: OnceCell<()> = OnceCell::const_new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// Returns the URL of the migrated database that all tests of this binary share.
pub async fn database_url() -> String {
    let url = cluster().await.url().to_owned();
    TEMPLATE
        .get_or_init(|| async {
            adapters_postgres::migrate(&url).await.expect("the database can be migrated");
            let template = "CREATE DATABASE template_atumpan TEMPLATE atumpan";
            sql(&maintenance(&url), template).await;
        })
        .await;
    url
}

/// Creates another migrated database and returns its URL.
pub async fn fresh_database_url() -> String {
    let url = database_url().await;
    let name = format!("atumpan_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    // Copying files takes less time than logging their pages.
    let copy = format!("CREATE DATABASE {name} TEMPLATE template_atumpan STRATEGY file_copy");
    sql(&maintenance(&url), &copy).await;
    url.replace("/atumpan?", &format!("/{name}?"))
}

/// Separate cluster with a migrated database, whose changes another cluster can replicate.
pub struct OwnCluster {
    postgres: EmbeddedPostgres,
    _folder: TempDir,
}

impl OwnCluster {
    /// Starts the cluster and migrates its database.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let data_dir = folder.path().join("postgres");
        let options = Options { data_dir, durability: Durability::None };
        let start = || EmbeddedPostgres::start(options.clone());
        let postgres = start().await.expect("PostgreSQL starts");
        sql(postgres.url(), "ALTER SYSTEM SET wal_level = logical").await;
        postgres.stop().await.expect("PostgreSQL stops");
        let postgres = start().await.expect("PostgreSQL starts again");
        adapters_postgres::migrate(postgres.url()).await.expect("the database can be migrated");
        Self { postgres, _folder: folder }
    }

    /// URL of its database.
    pub fn url(&self) -> &str {
        self.postgres.url()
    }
}

/// Runs statements on a database.
pub async fn sql(url: &str, statements: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("it connects");
    let driver = tokio::spawn(connection);
    client.batch_execute(statements).await.expect("the statements work");
    drop(client);
    let _ = driver.await;
}

async fn cluster() -> &'static EmbeddedPostgres {
    let start = || async {
        let data_dir = shared_folder("tests");
        let options = Options { data_dir, durability: Durability::None };
        let postgres = EmbeddedPostgres::start(options).await.expect("PostgreSQL starts");
        // It would visit each database each minute.
        sql(postgres.url(), "ALTER SYSTEM SET autovacuum = off").await;
        sql(postgres.url(), "SELECT pg_reload_conf()").await;
        postgres
    };
    CLUSTER.get_or_init(start).await
}

fn maintenance(url: &str) -> String {
    url.replace("/atumpan?", "/postgres?")
}
