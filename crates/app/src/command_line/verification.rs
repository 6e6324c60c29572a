//! `atumpan ledger verify`, `atumpan counters verify` and `atumpan audit verify`.

use clap::Subcommand;

use crate::{
    config::Config,
    service::{self, Database, StartError},
};

#[derive(Debug, Subcommand)]
pub(super) enum LedgerCommand {
    /// Verify the sums, sides, hashes and numbers of all entries
    ///
    /// Reads one snapshot, while the service may go on. Ends with status 1 if the ledger is not in
    /// order.
    Verify,
}

#[derive(Debug, Subcommand)]
pub(super) enum CountersCommand {
    /// Count all messages, and compare with the stored counters
    ///
    /// Reads one snapshot, while the service may go on. Ends with status 1 if a counter is wrong.
    Verify,
}

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Verify the hash chain of all lines, and print the result in one line
    ///
    /// The exit status is 1 if a line was changed, removed or inserted.
    Verify,
}

impl LedgerCommand {
    /// Runs the command on an existing database.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        match self {
            Self::Verify => verify_ledger(config).await,
        }
    }
}

impl CountersCommand {
    /// Runs the command on an existing database.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        match self {
            Self::Verify => verify_counters(config).await,
        }
    }
}

impl AuditCommand {
    /// Runs the command on an existing database.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        match self {
            Self::Verify => verify_audit_log(config).await,
        }
    }
}

async fn verify_ledger(config: &Config) -> Result<(), StartError> {
    let database = Database::open_existing(&config.storage).await?;
    let verified = service::verify_ledger(database.url()).await;
    database.close().await?;
    let verified = verified?;
    if !verified.is_in_order() {
        return Err(verified.to_string().into());
    }
    println!("{verified}");
    Ok(())
}

async fn verify_counters(config: &Config) -> Result<(), StartError> {
    let database = Database::open_existing(&config.storage).await?;
    let checked = service::check_counters(database.url()).await;
    database.close().await?;
    let checked = checked?;
    if !checked.are_in_order() {
        return Err(checked.to_string().into());
    }
    println!("{checked}");
    Ok(())
}

async fn verify_audit_log(config: &Config) -> Result<(), StartError> {
    let database = Database::open_existing(&config.storage).await?;
    let verified = match service::audit(database.url()) {
        Ok(audit) => audit.verify().await.map_err(StartError::from),
        Err(error) => Err(error),
    };
    database.close().await?;
    let verified = verified?;
    if !verified.broken.is_empty() {
        return Err(verified.to_string().into());
    }
    println!("{verified}");
    Ok(())
}
