//! `atumpan reconcile`: messages whose outcome was lost with a part of the database.

use chrono::{DateTime, Utc};
use clap::Args;

use crate::{
    config::Config,
    service::{self, Database, StartError},
};

#[derive(Debug, Args)]
pub(super) struct ReconcileOptions {
    /// Time to which the database was restored, such as 2026-11-28T10:15:00Z
    #[arg(long, value_name = "TIME")]
    since: DateTime<Utc>,
    /// Time at which the lost service ended; now, if it is not known
    #[arg(long, value_name = "TIME")]
    until: Option<DateTime<Utc>>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl ReconcileOptions {
    /// Runs the command on an existing database, and prints what it found.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        let database = Database::open_existing(&config.storage).await?;
        let reconciled =
            Box::pin(service::reconcile(config, database.url(), self.since, self.until)).await;
        database.close().await?;
        let reconciled = reconciled?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&reconciled)?);
        } else {
            println!("{reconciled}");
        }
        Ok(())
    }
}
