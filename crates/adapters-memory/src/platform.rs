//! The platform: tenants, limits, audit, analytics and health.

pub(crate) mod analytics;
mod message_figures;
