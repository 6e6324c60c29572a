//! Options of a run besides its seed.

use crate::defects::Defect;

/// Options of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunOptions {
    /// True if each step is printed.
    pub is_printed: bool,
    /// True for a quiet world: one process that nothing but a crash disturbs.
    pub is_quiet: bool,
    /// Number of polls after which the first process crashes; `None` leaves that to chance.
    pub crashes_after: Option<u64>,
    /// Defect of the store or process, if any.
    pub defect: Option<Defect>,
}
