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

/// After how many seeds that broke a promise no more are run.
const ENOUGH: usize = 10;

/// What runs of many seeds came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many seeds were run.
    pub seeds: u64,
    /// How many steps they took.
    pub steps: u64,
    /// How many messages were accepted in them.
    pub messages: usize,
    /// What was seen in them.
    pub tally: Tally,
    /// The runs in which something was wrong.
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
    /// What one run came to.
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
