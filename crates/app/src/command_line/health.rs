//! `atumpan health`: the state of a service on this machine.

use std::net::SocketAddr;

use clap::Args;

use crate::{
    config::{self, Source},
    local_health::{HealthAnswer, LocalHealth},
    service::StartError,
};

#[derive(Debug, Args)]
pub(super) struct HealthCommand {
    /// Ask only if this instance is ready for requests, as load balancers do
    #[arg(long, conflicts_with = "live")]
    ready: bool,
    /// Ask only if the process answers
    #[arg(long)]
    live: bool,
    /// Address of the service [default: `ATUMPAN_LISTEN`]
    #[arg(long)]
    address: Option<SocketAddr>,
}

impl HealthCommand {
    /// Asks the service. No other setting is read than its address, so the command also works where the
    /// secrets of the service cannot be read.
    pub(super) async fn run(self) -> Result<(), StartError> {
        let address = match self.address {
            Some(address) => address,
            None => config::listen_address(&Source::of_process()?)?,
        };
        let health = LocalHealth::of(address);
        let answer = health.ask(self.path()).await;
        let answer = answer.map_err(|error| format!("{health} does not answer: {error}"))?;
        let HealthAnswer { status, body } = &answer;
        if !answer.is_ok() {
            return Err(format!("{health} answers {status}: {body}").into());
        }
        println!("{body}");
        Ok(())
    }

    fn path(&self) -> &'static str {
        match (self.ready, self.live) {
            (true, _) => "/health/ready",
            (_, true) => "/health/live",
            _ => "/health",
        }
    }
}
