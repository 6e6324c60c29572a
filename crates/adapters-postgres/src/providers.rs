//! Providers of channels, and their state.

pub(crate) mod provider;
pub(crate) mod report_stats;
