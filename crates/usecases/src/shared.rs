//! Parts that all subjects use.

pub(crate) mod announcer;
pub(crate) mod digest;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod joined_reads;
pub(crate) mod panics;
pub(crate) mod trusted;
