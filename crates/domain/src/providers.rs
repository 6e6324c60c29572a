//! Providers: their routes, health and words.

pub mod breaker;
pub mod provider;
pub mod provider_state;
pub mod vendor_text;
