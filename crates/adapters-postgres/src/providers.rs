//! Providers of channels, and their states.

pub(crate) mod provider;
pub(crate) mod report_stats;
