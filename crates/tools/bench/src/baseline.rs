//! Rate of PostgreSQL alone: pgbench with one transaction for each message, which debits a wallet
//! and inserts a line of a log with the columns and indexes of ours.

use std::{error::Error, fs, path::PathBuf, time::Duration};

use tokio::process::Command;

use crate::{
    harness::{Database, Harness},
    report::number,
    usage,
};

const TABLES: &str = "\
    CREATE TABLE baseline_wallets (id int PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 50); \
    INSERT INTO baseline_wallets SELECT id, 1000000000000000 FROM generate_series(1, 100) AS id; \
    CREATE TABLE baseline_log (LIKE delivery_logs INCLUDING DEFAULTS INCLUDING INDEXES)";

const MESSAGE: &str = "\
BEGIN;
UPDATE baseline_wallets SET balance = balance - 35000 WHERE id = :tenant;
INSERT INTO baseline_log (id, organization_id, channel, status, recipient, country_code, category, \
priority, body, segments, cost_micros, is_sandbox, is_confidential, created_at) VALUES \
(encode(overlay(uuid_send(gen_random_uuid()) PLACING \
substring(int8send((extract(epoch FROM now()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid, \
('00000000-0000-7000-8000-000000000' || lpad(:tenant::text, 3, '0'))::uuid, \
'SMS', 'QUEUED', '+233241234567', 'GH', 'TRANSACTIONAL', 2, 'Your parcel has arrived at Makola.', 1, \
35000, false, false, now());
END;
";

/// Baselines of one run.
pub(crate) struct Baseline {
    database: Database,
    folder: tempfile::TempDir,
}

/// Numbers of wallets and clients for the measurement of processor time.
const WALLETS: u32 = 100;
const CLIENTS: u32 = 64;

/// Returns the processor time that PostgreSQL takes for one transaction of a hundred wallets and 64
/// clients, in microseconds. Unlike a rate it does not depend on the disk.
pub(crate) async fn processor(
    harness: &Harness,
    duration: Duration,
) -> Result<f64, Box<dyn Error>> {
    let database = harness.database("baseline").await?;
    let baseline = Baseline::prepare(database.clone()).await?;
    baseline.run(WALLETS, CLIENTS, Duration::from_secs(1)).await?;
    let before = usage::postgres(&database).await?;
    let transactions = baseline.run(WALLETS, CLIENTS, duration).await?.count;
    let used = usage::postgres(&database).await? - before;
    harness.drop("baseline").await?;
    Ok(used / number(transactions))
}

/// Measurement of pgbench.
#[derive(Clone, Copy)]
pub(crate) struct Transactions {
    pub(crate) count: u64,
    pub(crate) per_second: f64,
    /// Mean latency, in milliseconds.
    pub(crate) latency: f64,
}

impl Baseline {
    /// Creates the tables.
    pub(crate) async fn prepare(database: Database) -> Result<Self, Box<dyn Error>> {
        database.execute(TABLES).await?;
        Ok(Self { database, folder: tempfile::tempdir()? })
    }

    /// Runs the transaction for `tenants` wallets, drawn at random.
    pub(crate) async fn run(
        &self,
        tenants: u32,
        clients: u32,
        duration: Duration,
    ) -> Result<Transactions, Box<dyn Error>> {
        let script = self.folder.path().join("message.sql");
        fs::write(&script, format!("\\set tenant random(1, {tenants})\n{MESSAGE}"))?;
        let output = Command::new(pgbench()?)
            .args(["--no-vacuum", "--protocol=prepared", "--jobs=1"])
            .arg(format!("--client={clients}"))
            .arg(format!("--time={}", duration.as_secs()))
            .arg("--file")
            .args([script.as_os_str(), self.database.url().as_ref()])
            .output()
            .await?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let word = |name: &str| {
            let after = text.split_once(name)?.1;
            after.trim_start_matches([' ', '=', ':']).split_whitespace().next()
        };
        let figure = |name: &str| word(name)?.parse().ok();
        let count = word("transactions actually processed").and_then(|it| it.parse().ok());
        match (count, figure("tps"), figure("latency average")) {
            (Some(count), Some(per_second), Some(latency)) => {
                Ok(Transactions { count, per_second, latency })
            }
            _ => Err(format!("pgbench: {}", String::from_utf8_lossy(&output.stderr)).into()),
        }
    }
}

/// Returns the newest pgbench of the machine.
fn pgbench() -> Result<PathBuf, Box<dyn Error>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<_> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    found.sort();
    found.reverse();
    let folders = found.into_iter().chain(std::env::split_paths(&path));
    let mut programs = folders.map(|folder| folder.join("pgbench"));
    programs.find(|program| program.exists()).ok_or_else(|| "pgbench is not installed".into())
}
