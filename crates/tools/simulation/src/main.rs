//! `simulate`: runs worlds, and tells of the seeds that broke a promise.

use std::{process::ExitCode, time::Instant};

use clap::Parser;
use simulation::{
    many::{Summary, run_seeds},
    options::RunOptions,
    run::{Finding, run},
};

/// Runs the use cases in worlds where everything goes wrong that can.
#[derive(Parser)]
struct Arguments {
    /// How many seeds are run.
    #[arg(default_value_t = 1_000)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Runs this seed alone.
    #[arg(long, conflicts_with_all = ["seeds", "first"])]
    seed: Option<u64>,
    /// Prints each step of it.
    #[arg(long, requires = "seed")]
    trace: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let options = RunOptions { is_printed: arguments.trace, ..RunOptions::default() };
    let summary = match arguments.seed {
        Some(seed) => {
            let finding = run(seed, options);
            println!("seed {seed}: {} steps, hash {:016x}", finding.steps, finding.hash);
            Summary::of(finding)
        }
        None => {
            let began = Instant::now();
            let end = arguments.first.saturating_add(arguments.seeds);
            let summary = run_seeds(arguments.first..end, options);
            println!("{:.1} s", began.elapsed().as_secs_f64());
            summary
        }
    };
    print(&summary);
    if summary.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(summary: &Summary) {
    let Summary { seeds, steps, messages, tally, failed } = summary;
    println!("{seeds} seeds, {steps} steps, {messages} messages accepted, {tally:?}");
    for Finding { seed, violations, .. } in failed {
        println!("seed {seed}:");
        for violation in violations {
            println!("  {violation}");
        }
        println!("  replay it with: just simulate --seed {seed} --trace");
    }
}
