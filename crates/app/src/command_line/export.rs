//! `atumpan export`: everything that an organization has, as files.

use std::path::PathBuf;

use clap::Args;
use domain::{identity::organization::Organization, shared::id::Id};

use crate::{
    config::Config,
    export_folder::ExportFolder,
    service::{self, Database, StartError},
};

#[derive(Debug, Args)]
pub(super) struct ExportOptions {
    /// Identifier of the organization
    #[arg(long, value_name = "ID")]
    organization: Id<Organization>,
    /// Folder to write to; it is created, and must be empty if it exists
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
}

impl ExportOptions {
    /// Writes the export from an existing database.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        let database = Database::open_existing(&config.storage).await?;
        let done = self.run_on(database.url()).await;
        database.close().await?;
        println!("{}", done?);
        Ok(())
    }

    /// Writes the export, and returns its result in words.
    async fn run_on(&self, database_url: &str) -> Result<String, StartError> {
        let place = self.folder.display();
        let folder = ExportFolder::create(&self.folder);
        let mut folder = folder.map_err(|error| format!("--folder {place}: {error}"))?;
        let counts = service::export(database_url, self.organization, &mut folder).await?;
        folder.complete(&counts)?;
        let rows: u64 = counts.iter().map(|count| count.rows).sum();
        let lists = counts.len();
        Ok(format!("{rows} rows of {lists} lists were written to {place}."))
    }
}
