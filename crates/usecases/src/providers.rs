//! Providers of channels, and their state.

pub mod provider_health;
pub mod provider_registry;
