//! Makes faults around the real service, and prints the results: messages that were accepted, lost
//! or sent twice, the exactness of the ledger, and the time of recovery.
//!
//! *Lost* is a message that was accepted and has no row, or is not final, or has a status that its
//! provider does not confirm. *Doubled* is a message that the provider took more than once,
//! although no process that had it in flight was killed and no answer of the provider left open
//! whether it was taken; messages with such a cause are *explained*.

mod audit;
mod failure;
mod load;
mod postgres;
mod provider;
mod report;
mod rows;
mod service;
mod stage;
mod system;
mod tenant;

use std::{env, process::ExitCode};

use clap::{Parser, ValueEnum};

use crate::{
    report::{Line, Outcome},
    rows::{Fault, Scale},
};

/// Makes faults around the service, and checks that nothing is lost, doubled or miscounted.
#[derive(Parser)]
struct Arguments {
    /// Faults to make; all by default.
    faults: Vec<Fault>,
    /// Makes fewer rounds, in less time.
    #[arg(long)]
    short: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let faults = match arguments.faults.as_slice() {
        [] => Fault::value_variants(),
        named => named,
    };
    let scale = if arguments.short { Scale::Short } else { Scale::Full };
    // It fails only if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut lines = Vec::new();
    for fault in faults {
        eprintln!("{}…", fault.name());
        lines.push(line(*fault, scale).await);
    }
    report::print(&lines);
    if lines.iter().all(Line::is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn line(fault: Fault, scale: Scale) -> Line {
    let outcome = match fault.missing() {
        // With `CI` set, nothing may be left out.
        Some(why) if env::var_os("CI").is_some() => Outcome::NotMeasured(why),
        Some(why) => Outcome::Skipped(why),
        None => match fault.make(scale).await {
            Ok(row) => Outcome::Measured(row),
            Err(error) => Outcome::NotMeasured(error.to_string()),
        },
    };
    Line { fault: fault.name(), outcome }
}
