//! Runs of many seeds, on all processors.

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::{
    options::RunOptions,
    run::{Finding, run},
    witness::Tally,
};

/// Number of failed seeds after which no more are run.
const ENOUGH: usize = 10;

/// Summary of the runs of many seeds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of seeds that were run.
    pub seeds: u64,
    /// Number of their steps.
    pub steps: u64,
    /// Number of messages that were accepted in them.
    pub messages: usize,
    /// Counts of the observed events.
    pub tally: Tally,
    /// Runs with violations.
    pub failed: Vec<Finding>,
}

/// Runs seeds, each on one thread, until all are run or many have failed.
pub fn run_seeds(seeds: Range<u64>, options: RunOptions) -> Summary {
    let (next, summary) = (AtomicU64::new(seeds.start), Mutex::new(Summary::default()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let finding = run(seed, options);
                    let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
                    summary.add(finding);
                    if summary.failed.len() >= ENOUGH {
                        return;
                    }
                }
            });
        }
    });
    let mut summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    summary.failed.sort_by_key(|finding| finding.seed);
    summary
}

impl Summary {
    /// Returns the summary of one run.
    pub fn of(finding: Finding) -> Self {
        let mut summary = Self::default();
        summary.add(finding);
        summary
    }

    fn add(&mut self, finding: Finding) {
        self.seeds += 1;
        self.steps += finding.steps;
        self.messages += finding.messages;
        self.tally = self.tally.and(finding.tally);
        if !finding.violations.is_empty() {
            self.failed.push(finding);
        }
    }
}
