//! Providers of channels, and their state.

pub(crate) mod provider;
