//! Code shared by all subjects.

pub mod bounds;
pub(crate) mod cache;
pub mod change_follower;
pub(crate) mod digest;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod fixtures;
pub(crate) mod joined_reads;
pub mod limits;
pub mod mailer;
pub(crate) mod panics;
pub mod refusals;
