//! Providers: their routes, health and texts.

pub mod breaker;
pub mod provider;
pub mod provider_state;
