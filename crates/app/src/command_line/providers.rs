//! `atumpan providers`: reference of the providers file.

use clap::Subcommand;

use crate::provider_kinds;

#[derive(Debug, Subcommand)]
pub(super) enum ProvidersCommand {
    /// Print the kinds of providers, with their channels, credentials and options
    Kinds {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl ProvidersCommand {
    pub(super) fn run(&self) {
        match self {
            Self::Kinds { json: true } => println!("{:#}", provider_kinds::json()),
            Self::Kinds { json: false } => print!("{}", provider_kinds::table()),
        }
    }
}
