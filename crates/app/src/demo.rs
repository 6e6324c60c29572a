//! Demonstration: a service with a past of 60 days, in a database of its own.
//!
//! The use cases and repositories of the service write the past, under a clock that walks through it.
//! Nothing of it is real, and nothing leaves the machine: providers and payments are simulated.

mod calendar;
mod campaigns;
mod chance;
mod course;
mod failures;
mod folder;
mod history;
mod money;
mod past_clock;
mod people;
mod tenant;
mod texts;
mod traffic;
mod webhook;

use std::path::PathBuf;

use clap::Args;
use domain::{
    content::sender_name::SenderRule, identity::user::RegistrationRule, shared::money::Money,
};
use usecases::money::invoices::InvoiceCredit;

use self::folder::Folder;
use crate::{
    config::{Config, Delivery, Environment, Payments, Security, Storage},
    embedded::{Durability, EmbeddedPostgres, Options},
    service::{Sockets, StartError},
};

/// Options of the demonstration.
#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// Folder of its database, which holds nothing else
    #[arg(long, default_value = ".atumpan-demo")]
    data_dir: PathBuf,
    /// Make it anew, without the changes of earlier runs
    #[arg(long)]
    fresh: bool,
    /// Number of past messages
    #[arg(long, default_value_t = 30_000)]
    messages: u32,
}

/// Makes the demonstration unless its folder holds one, and returns the configuration to serve it with.
pub(crate) async fn prepare(config: Config, options: &DemoOptions) -> Result<Config, StartError> {
    if config.security.environment == Environment::Production {
        return Err("a demo does not run in production: ATUMPAN_ENV is production".into());
    }
    let config = configuration(config, options);
    // An address in use is reported before anything is made.
    drop(Sockets::bind(&config.server)?);
    let folder = Folder::open(&options.data_dir, options.fresh)?;
    if !folder.is_complete() {
        tracing::info!(messages = options.messages, "atumpan makes the demo");
        make(&config, options).await?;
        folder.complete()?;
    }
    Ok(config)
}

/// Returns the lines that say how to sign in.
pub(crate) fn sign_ins() -> String {
    let people = [
        ("owner", history::OWNER),
        ("viewer", history::VIEWER),
        ("administrator", history::ADMINISTRATOR),
    ];
    let line = |(role, email)| format!("  {role:<14} {email}, password \"{}\"", history::PASSWORD);
    people.map(line).join("\n")
}

async fn make(config: &Config, options: &DemoOptions) -> Result<(), StartError> {
    // Data that a crash of the machine loses are made anew.
    let server = Options { data_dir: options.data_dir.clone(), durability: Durability::None };
    let server = EmbeddedPostgres::start(server).await?;
    let made = fill(config, server.url(), options.messages).await;
    server.stop().await?;
    made
}

async fn fill(config: &Config, database_url: &str, messages: u32) -> Result<(), StartError> {
    adapters_postgres::migrate(database_url).await?;
    Box::pin(history::write(config, database_url, messages)).await
}

/// Returns the configuration without anything real: of the given one the server remains, and the log.
fn configuration(config: Config, options: &DemoOptions) -> Config {
    Config {
        storage: Storage {
            data_dir: options.data_dir.clone(),
            database_url: None,
            database_wait: config.storage.database_wait,
            redis_url: None,
            retention: None,
        },
        security: Security {
            environment: Environment::Development,
            jwt_secret: None,
            previous_jwt_secret: None,
            seal_secret: None,
            link_secret: None,
            callback_secret: None,
            admin: None,
            email_verification: false,
            registration: RegistrationRule::Open,
        },
        delivery: Delivery {
            providers: None,
            senders: SenderRule::Open,
            trial_credit: Money::from_cedis(10),
            invoice_credit: InvoiceCredit::WhenPaid,
            velocity_limits: false,
            ..config.delivery
        },
        content: None,
        payments: Payments { gateway_url: None, gateway_secret: None },
        traces: None,
        is_demo: true,
        ..config
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    fn options() -> DemoOptions {
        DemoOptions { data_dir: "demo".into(), fresh: false, messages: 1 }
    }

    #[test]
    fn a_demo_uses_no_database_provider_or_gateway_that_is_configured() {
        let given = [
            ("DATABASE_URL", "postgres://atumpan@localhost/atumpan"),
            ("REDIS_URL", "redis://localhost"),
            ("ATUMPAN_PROVIDERS", "providers.toml"),
            ("ATUMPAN_GATEWAY_URL", "https://api.paystack.co"),
            ("ATUMPAN_GATEWAY_SECRET", "sk_live_1"),
        ];
        let given = Source::of(&given, "");
        let given = Config::read(&given).unwrap();

        let demo = configuration(given, &options());

        assert!(demo.is_demo);
        assert_eq!(demo.storage.database_url, None);
        assert_eq!(demo.storage.redis_url, None);
        assert_eq!(demo.storage.data_dir, PathBuf::from("demo"));
        assert_eq!(demo.delivery.providers, None);
        assert_eq!(demo.payments.gateway_url, None);
    }

    #[tokio::test]
    async fn a_demo_does_not_run_in_production() {
        let mut config = Config::read(&Source::of(&[], "")).unwrap();
        config.security.environment = Environment::Production;

        let refused = prepare(config, &options()).await.unwrap_err();

        assert!(refused.to_string().contains("production"), "{refused}");
    }
}
