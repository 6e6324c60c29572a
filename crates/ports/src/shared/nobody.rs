//! Neutral implementation of ports.

/// Implementation of ports that does nothing, for tests and for embedders without that part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Nobody;
