//! The REST API, and what it takes to sign people in: passwords, tokens, chance.

mod inbound;
pub mod outbound;

pub use inbound::{Api, MetricsText, app, openapi};
