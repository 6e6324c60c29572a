//! Steps of a run.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

/// Recorder of the steps of a run. Clones share the record.
#[derive(Clone)]
pub struct Trace {
    began: Instant,
    steps: Arc<Mutex<Steps>>,
}

struct Steps {
    /// Hash of all steps, in their order.
    hash: u64,
    count: u64,
    is_printed: bool,
    line: String,
}

impl Trace {
    /// Starts an empty trace, which prints its steps if `is_printed`. Works only within a runtime
    /// whose time is paused.
    pub fn start(is_printed: bool) -> Self {
        let steps =
            Steps { hash: 0xCBF2_9CE4_8422_2325, count: 0, is_printed, line: String::new() };
        Self { began: Instant::now(), steps: Arc::new(Mutex::new(steps)) }
    }

    /// Records a poll of a task of a process.
    pub fn poll(&self, process: u64, task: u64) {
        let at = self.began.elapsed();
        let mut steps = self.steps();
        steps.count += 1;
        for number in [at.as_secs(), at.subsec_nanos().into(), process, task] {
            steps.add(number);
        }
    }

    /// Records an event.
    pub fn note(&self, what: fmt::Arguments<'_>) {
        let at = self.began.elapsed();
        let mut steps = self.steps();
        steps.count += 1;
        let mut line = std::mem::take(&mut steps.line);
        line.clear();
        let written = fmt::write(
            &mut line,
            format_args!("{:>8} {:>12.3} {what}", steps.count, at.as_secs_f64()),
        );
        if written.is_ok() {
            for byte in line.bytes() {
                steps.add(byte.into());
            }
            if steps.is_printed {
                println!("{line}");
            }
        }
        steps.line = line;
    }

    /// Returns the hash of all steps so far: two runs of a seed have the same.
    pub fn hash(&self) -> u64 {
        self.steps().hash
    }

    /// Returns the number of steps.
    pub fn count(&self) -> u64 {
        self.steps().count
    }

    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Steps {
    fn add(&mut self, number: u64) {
        self.hash = (self.hash ^ number).wrapping_mul(0x0100_0000_01B3).rotate_left(17);
    }
}
