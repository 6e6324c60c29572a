//! What a run is told beside its seed.

use crate::defects::Defect;

/// How a world is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunOptions {
    /// Whether each step is printed.
    pub is_printed: bool,
    /// Whether it is a quiet world.
    pub is_quiet: bool,
    /// After how many polls the first process crashes, if that is not left to chance.
    pub crashes_after: Option<u64>,
    /// What is wrong with the store.
    pub defect: Option<Defect>,
}
