//! Code shared by all subjects.

pub(crate) mod cache;
pub(crate) mod change_broadcaster;
pub(crate) mod digest;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod joined_reads;
pub(crate) mod panics;
