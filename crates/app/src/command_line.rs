//! Command line of `atumpan`.

mod admins;

use std::{io, process, time::Duration};

use clap::{Parser, Subcommand};
use domain::identity::user::RegistrationRule;
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::admins::AdminCommand;
use crate::{
    config::{self, Config, Source},
    demo::{self, DemoOptions},
    logging::{self, LogFormat},
    providers_file,
    service::{self, Database, Service, Sockets, StartError},
};

/// Notification service: one REST API over SMS, WhatsApp, email, push and voice, paid from a wallet
/// in GHS.
#[derive(Debug, Parser)]
#[command(name = "atumpan", version, after_help = SETTINGS)]
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
    /// other commands find its database with `ATUMPAN_DATA_DIR=.atumpan-demo`.
    Demo(DemoOptions),
    /// Bring the database up to date and end
    Migrate,
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
    /// Print the addresses to enter in the consoles of the declared providers' vendors
    ///
    /// A token in such an address is a secret: anyone who knows it can report on messages.
    Callbacks,
    /// Print the `OpenAPI` document of the API
    Openapi {
        /// Print a Postman collection made from it instead
        #[arg(long)]
        postman: bool,
    },
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    /// Verify the sums, sides, hashes and numbers of all entries
    ///
    /// Reads one snapshot, while the service may go on. Ends with status 1 if the ledger is not in
    /// order.
    Verify,
}

#[derive(Debug, Subcommand)]
enum CountersCommand {
    /// Count all messages, and compare with the stored counters
    ///
    /// Reads one snapshot, while the service may go on. Ends with status 1 if a counter is wrong.
    Verify,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Verify the hash chain of all lines, and print the result in one line
    ///
    /// The exit status is 1 if a line was changed, removed or inserted.
    Verify,
}

const SETTINGS: &str = "\
Settings, from the environment or, without ATUMPAN_ and in lower case, from atumpan.toml. Secrets and
the addresses of databases are also read from files, which the same names with _FILE behind them name:
  ATUMPAN_LISTEN            address to serve on                  [127.0.0.1:8080]
  ATUMPAN_METRICS_LISTEN    address to serve the metrics on      [in production 127.0.0.1:9464]
  ATUMPAN_PUBLIC_URL        what others call                     [http:// and the address]
  ATUMPAN_DATA_DIR          embedded database, secrets           [.atumpan]
  DATABASE_URL              PostgreSQL to use                    [one of its own]
  ATUMPAN_EMBEDDED_DATABASE on: one of its own in production     [off in production]
  REDIS_URL                 Redis, for limits and signals        [in the process]
  ATUMPAN_ENV               development or production            [development]
  ATUMPAN_JWT_SECRET        signs sessions, 32 bytes or more     [generated in development]
  ATUMPAN_SEAL_SECRET       seals secrets of second factors      [ATUMPAN_JWT_SECRET]
  ATUMPAN_LINK_SECRET       signs links to unsubscribe           [a key kept in the database]
  ATUMPAN_ADMIN_EMAIL       a platform administrator that exists after start
  ATUMPAN_ADMIN_PASSWORD    its password, if it is new
  ATUMPAN_PROVIDERS         path of the providers file           [simulated in development]
  ATUMPAN_RETENTION_DAYS    days that messages are kept, from 31 [for ever]
  ATUMPAN_SENDER_NAMES      approved: senders need approval; open: any [open; approved in production]
  ATUMPAN_VELOCITY_LIMITS   limit messages to the same numbers: on, off [off; on in production]
  ATUMPAN_WORKERS           messages handed over at a time       [256; 0 serves only]
  ATUMPAN_GATEWAY_URL       where Paystack is                    [simulated; none in production]
  ATUMPAN_GATEWAY_SECRET    our secret key at the gateway        [a key kept in the database]
  ATUMPAN_INVOICE_CREDIT    when the money of an invoice is credited: when-paid, at-once [when-paid]
  ATUMPAN_INVOICE_CREDIT_LIMIT_GHS  what an organization may owe, with at-once
  ATUMPAN_TRIAL_CREDIT_GHS  what a new wallet holds              [10; 0 in production]
  ATUMPAN_TRUSTED_PROXIES   networks whose X-Forwarded-For holds [none]
  ATUMPAN_CONTENT_URL       of a language model, such as https://api.openai.com/v1 [rules write]
  ATUMPAN_CONTENT_MODEL     its name
  ATUMPAN_CONTENT_KEY       its key, if it asks for one
  ATUMPAN_CONTENT_TIMEOUT   seconds that a call of it may take   [30]
  ATUMPAN_CALLBACKS_ALLOW_PRIVATE  webhooks to private networks and by http [true; never in production]
  ATUMPAN_CORS_ORIGINS      origins whose pages may call         [none]
  ATUMPAN_RATE_LIMITS       on or off                            [on]
  ATUMPAN_EMAIL_VERIFICATION  mail new users a link, on or off   [on]
  ATUMPAN_DRAIN_SECONDS     requests are still taken after SIGTERM [0; 5 in production]
  ATUMPAN_REGISTRATION      who may register: open (anybody), invited, closed (nobody) [open]
  ATUMPAN_LIMIT_LIVE        messages/s and at once, each tenant  [500/5000]
  ATUMPAN_LIMIT_SANDBOX     the same in the sandbox              [20/500]
  ATUMPAN_LIMIT_REQUESTS    other requests, each tenant          [200/2000]
  ATUMPAN_LIMIT_GUESTS      without credentials, each address    [10/600]
  ATUMPAN_LIMIT_REGISTRATIONS           an hour, each address    [20]
  ATUMPAN_MAX_CONNECTIONS   clients connected at a time          [10000]
  ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS   of these from one        [256]
  ATUMPAN_CLIENT_TIMEOUT    seconds to send a request, or to take an answer [30]
  ATUMPAN_LOG               text or json                         [text]
  RUST_LOG                  which lines are logged               [info]";

/// Time beyond the planned stop after which the process ends in any case.
const GRACE: Duration = Duration::from_secs(8);

impl CommandLine {
    /// Runs the given command.
    pub async fn run(self) -> Result<(), StartError> {
        match self.command.unwrap_or(Command::Serve) {
            Command::Openapi { postman } => {
                let document = adapters_http::openapi();
                println!("{:#}", if postman { adapters_http::postman() } else { document.clone() });
                Ok(())
            }
            Command::Callbacks => print_callbacks(&configuration()?),
            Command::Serve => Box::pin(serve(&configuration()?)).await,
            Command::Demo(options) => {
                let config = Box::pin(demo::prepare(configuration()?, &options)).await?;
                Box::pin(serve(&config)).await
            }
            Command::Migrate => {
                let database = Database::open_beside(&configuration()?.storage).await?;
                println!("The database is up to date.");
                Ok(database.close().await?)
            }
            Command::Audit { command: AuditCommand::Verify } => {
                verify_audit_log(&configuration()?).await
            }
            Command::Admin { command } => command.run(&configuration()?).await,
            Command::Ledger { command: LedgerCommand::Verify } => {
                verify_ledger(&configuration()?).await
            }
            Command::Counters { command: CountersCommand::Verify } => {
                verify_counters(&configuration()?).await
            }
        }
    }
}

/// Reads the configuration. From then on, messages are printed in the configured log format.
fn configuration() -> Result<Config, StartError> {
    let source = Source::of_process();
    // An unreadable file says nothing about the format.
    let usual = Source::of_environment();
    logging::start(config::log_format(source.as_ref().unwrap_or(&usual)).unwrap_or_default());
    let source = source?.with_secret_files()?;
    let config = Config::read(&source)?;
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

async fn serve(config: &Config) -> Result<(), StartError> {
    let mut signals = Signals::listen()?;
    let sockets = Sockets::bind(&config.server)?;
    let database = Database::open(&config.storage).await?;
    let (url, is_private) = (database.url(), database.is_private());
    let mut service = match Box::pin(Service::start_on(sockets, config, url, is_private)).await {
        Ok(service) => service,
        Err(error) => {
            database.close().await?;
            return Err(error);
        }
    };
    greet(config, &service);
    let failure = tokio::select! {
        () = signals.next() => None,
        status = database.ended() => Some(format!("the embedded PostgreSQL ended: {status}")),
        ended = service.ended() => Some(ended),
    };
    if let Some(failure) = &failure {
        tracing::error!(failure, "the service cannot go on");
    }
    match config.log {
        LogFormat::Text => println!("Stopping; once more to stop at once."),
        LogFormat::Json => tracing::info!("stopping; once more to stop at once"),
    }
    let grace = service.longest_stop() + GRACE;
    tokio::spawn(async move {
        tokio::select! {
            () = signals.next() => tracing::warn!("stopped at once"),
            () = tokio::time::sleep(grace) => tracing::error!("the stop took too long"),
        }
        process::exit(1);
    });
    if failure.is_none() {
        service.announce_stop().await;
    }
    service.stop().await;
    database.close().await?;
    failure.map_or(Ok(()), |failure| Err(failure.into()))
}

fn print_callbacks(config: &Config) -> Result<(), StartError> {
    let Some(path) = &config.delivery.providers else {
        return Err("ATUMPAN_PROVIDERS names no providers file".into());
    };
    let public_url = config.server.public_url();
    for declaration in providers_file::read(path, &|name| std::env::var(name).ok())? {
        let address = declaration.callback_address(&public_url);
        println!("{}: {}", declaration.name, address.as_deref().unwrap_or("makes no callbacks"));
    }
    Ok(())
}

fn greet(config: &Config, service: &Service) {
    let url = config.server.given_public_url.clone();
    let url = url.unwrap_or_else(|| format!("http://{}", service.address()));
    if config.log == LogFormat::Json {
        tracing::info!(url, "Atumpan serves");
        return;
    }
    println!("Atumpan serves on {url}");
    println!("  dashboard      {url}/app");
    println!("  documentation  {url}/docs");
    println!("  health         {url}/health");
    if config.is_demo {
        println!("{}", demo::sign_ins());
        return;
    }
    if config.security.registration != RegistrationRule::Open {
        return;
    }
    println!("  a first call:");
    println!(
        "  curl --fail-with-body -s {url}/auth/register -H 'Content-Type: application/json' -d \
         '{{\"email\":\"esi@example.com\",\"password\":\"correct horse\",\"firstName\":\"Esi\",\
         \"lastName\":\"Owusu\",\"organizationName\":\"Adinkra Ltd\"}}'"
    );
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

/// Signals that end the process. Signals that make other programs reopen files or reload settings would
/// end it by default, and are ignored.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        for (name, kind) in [
            ("SIGHUP", SignalKind::hangup()),
            ("SIGUSR1", SignalKind::user_defined1()),
            ("SIGUSR2", SignalKind::user_defined2()),
        ] {
            let mut ignored = signal(kind)?;
            tokio::spawn(async move {
                while ignored.recv().await.is_some() {
                    tracing::info!(
                        signal = name,
                        "ignored a signal: settings are read at the start only"
                    );
                }
            });
        }
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
