//! Basis of a batch.

/// Basis of the decisions about a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// Assumes that there is enough money, every key is free, and nobody is suppressed.
    Optimistic,
    /// Facts read without locks.
    Read,
    /// Facts read after the wallets were locked.
    Locked,
}
