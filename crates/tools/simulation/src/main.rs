//! `simulate`: runs worlds, and reports the seeds that broke a promise.

use std::{process::ExitCode, time::Instant};

use clap::Parser;
use simulation::{
    many::{Summary, run_seeds},
    options::RunOptions,
    run::{Finding, run},
};

/// Runs the use cases in worlds with every kind of fault.
#[derive(Parser)]
struct Arguments {
    /// Number of seeds to run.
    #[arg(default_value_t = 1_000)]
    seeds: u64,
    /// First seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Runs this seed alone.
    #[arg(long, conflicts_with_all = ["seeds", "first"])]
    seed: Option<u64>,
    /// Prints each step of the seed.
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
