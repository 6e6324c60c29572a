//! The platform: tenants, limits, audit, analytics and health.

pub(crate) mod activity;
pub(crate) mod analytics;
pub(crate) mod audit_log;
pub(crate) mod closings;
pub(crate) mod copying;
pub(crate) mod data_changes;
pub(crate) mod growth;
pub(crate) mod holdings;
pub(crate) mod maintenance;
pub(crate) mod message_figures;
pub(crate) mod notices;
pub(crate) mod organization_exports;
pub(crate) mod reconciliations;
pub(crate) mod refused_calls;
pub(crate) mod request_keys;
pub(crate) mod server_figures;
pub(crate) mod tenants;
pub(crate) mod traffic;
pub(crate) mod users;
pub(crate) mod wallet_corrections;
