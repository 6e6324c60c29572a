//! Command line of `atumpan`.

mod admins;
mod callbacks;
mod config;
mod doctor;
mod export;
mod health;
mod manuals;
mod process_signals;
mod providers;
mod reconcile;
mod reload;
mod serving;
mod settings_help;
mod verification;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::{
    admins::AdminCommand,
    callbacks::print_callbacks,
    config::ConfigCommand,
    doctor::DoctorCommand,
    export::ExportOptions,
    health::HealthCommand,
    manuals::{CompletionsOptions, ManOptions},
    providers::ProvidersCommand,
    reconcile::ReconcileOptions,
    serving::serve,
    settings_help::settings_help,
    verification::{AuditCommand, CountersCommand, LedgerCommand},
};
use crate::{
    config::{Config, Source, log_format},
    demo::{self, DemoOptions},
    logging,
    service::{self, Database, StartError},
    version,
};

/// Notification service: one REST API over SMS, WhatsApp, email, push and voice, paid from a wallet
/// in GHS.
#[derive(Debug, Parser)]
#[command(name = "atumpan", version = version::text(), after_help = settings_help())]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the database up to date, serve the API and deliver messages (the default)
    Serve,
    /// Serve a demo: two organizations with 60 days of messages, in a database of its own
    ///
    /// Everything is invented and simulated, and no configured database, provider or gateway is used. The
    /// other commands find its database with `ATUMPAN_DATA_DIR=.atumpan-demo`. Prints how to sign in.
    Demo(DemoOptions),
    /// Bring the database up to date and end
    ///
    /// Names the changes of data that are not finished, with which the service goes on.
    Migrate,
    /// Check settings, database, providers and this machine, and print what to do
    ///
    /// Changes nothing, and may run beside the service. Ends with status 1 after warnings, and 2 after
    /// failures.
    Doctor(DoctorCommand),
    /// Ask a service on this machine for its health, and print the answer
    ///
    /// Ends with status 1 if the service does not answer, or answers that it is not healthy.
    Health(HealthCommand),
    /// Manage platform administrators
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Check the ledger
    Ledger {
        #[command(subcommand)]
        command: LedgerCommand,
    },
    /// Check the counters of messages
    Counters {
        #[command(subcommand)]
        command: CountersCommand,
    },
    /// Check the audit log
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Ask providers about messages that were on their way when the database lost its last writes
    ///
    /// For a database that was restored to an earlier time, before the service is started on it. Messages
    /// that a provider may have are not sent again, and campaigns are paused. Changes nothing when it is run
    /// again, and goes on if it was interrupted.
    Reconcile(ReconcileOptions),
    /// Write everything that an organization has to files, as JSON Lines and CSV
    ///
    /// Reads one snapshot, while the service may go on. Secrets are left out, and codes are masked.
    Export(ExportOptions),
    /// Print the settings that hold and where each comes from, without secrets
    Config(ConfigCommand),
    /// Print the reference of the providers file
    Providers {
        #[command(subcommand)]
        command: ProvidersCommand,
    },
    /// Print the addresses to enter in the consoles of the declared providers' vendors
    ///
    /// A token in such an address is a secret: anyone who knows it can report on messages. Without
    /// `ATUMPAN_CALLBACK_SECRET` its key is in the database.
    Callbacks,
    /// Print the `OpenAPI` document of the API
    Openapi {
        /// Print a Postman collection made from it instead
        #[arg(long)]
        postman: bool,
    },
    /// Print completions for a shell
    Completions(CompletionsOptions),
    /// Print the manual page
    Man(ManOptions),
}

impl CommandLine {
    /// Runs the given command, and returns the status of the process.
    pub async fn run(self) -> Result<ExitCode, StartError> {
        let done: Result<(), StartError> = match self.command.unwrap_or(Command::Serve) {
            Command::Doctor(command) => return Ok(Box::pin(command.run()).await),
            Command::Openapi { postman } => {
                let document = adapters_http::openapi();
                println!("{:#}", if postman { adapters_http::postman() } else { document.clone() });
                Ok(())
            }
            Command::Completions(options) => options.run(),
            Command::Man(options) => options.run(),
            Command::Config(command) => command.run(),
            Command::Providers { command } => {
                command.run();
                Ok(())
            }
            Command::Serve => Box::pin(serve(configuration()?)).await,
            Command::Demo(options) => {
                let config = Box::pin(demo::prepare(configuration()?, &options)).await?;
                Box::pin(serve(config)).await
            }
            Command::Migrate => migrate(&configuration()?).await,
            Command::Health(command) => command.run().await,
            Command::Reconcile(options) => Box::pin(options.run(&configuration()?)).await,
            Command::Export(options) => options.run(&configuration()?).await,
            Command::Callbacks => print_callbacks(&configuration()?).await,
            Command::Admin { command } => command.run(&configuration()?).await,
            Command::Audit { command } => command.run(&configuration()?).await,
            Command::Ledger { command } => command.run(&configuration()?).await,
            Command::Counters { command } => command.run(&configuration()?).await,
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

/// Reads the configuration. From then on, messages are printed in the configured log format.
fn configuration() -> Result<Config, StartError> {
    let source = Source::of_process();
    // An unreadable file says nothing about the format.
    let usual = Source::of_environment();
    logging::start(log_format(source.as_ref().unwrap_or(&usual)).unwrap_or_default());
    let mut source = source?;
    let config = Config::read_with_secret_files(&mut source)?;
    let unknown = source.unknown_variables();
    if !unknown.is_empty() {
        let guess = |(name, nearest)| format!("{name} (did you mean {nearest}?)");
        let variables: Vec<_> = unknown.into_iter().map(guess).collect();
        tracing::warn!(
            variables = variables.join(", "),
            "variables that are no settings are ignored"
        );
    }
    Ok(config)
}

async fn migrate(config: &Config) -> Result<(), StartError> {
    let database = Database::open_beside(&config.storage).await?;
    let unfinished = service::unfinished_data_changes(database.url()).await;
    database.close().await?;
    println!("The database is up to date.");
    for name in unfinished? {
        println!("The service goes on with a change of data: {name}");
    }
    Ok(())
}
