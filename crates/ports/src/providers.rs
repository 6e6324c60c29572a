//! Providers of channels, and their state.

pub mod provider;
