//! The REST API with its server, the means to authenticate users (passwords, tokens, randomness),
//! and calls of webhook endpoints.

mod client_address;
mod inbound;
mod log_throttle;
pub mod outbound;
mod server;

pub use client_address::{NotANetwork, TrustedProxies};
pub use inbound::{
    Api, ApiViews, BackgroundWork, Credentials, MetricsText, Site, app, edge, invoice_page,
    openapi, postman,
};
pub use server::{ConnectionLimits, Server, ServerHandle, register_metrics, serve, serve_metrics};
