//! The platform: tenants, limits, audit, analytics and health.

mod activity;
pub(crate) mod analytics;
pub(crate) mod approvals;
pub(crate) mod audit_log;
pub(crate) mod closings;
pub(crate) mod counter_check;
mod data_changes;
pub(crate) mod diagnosis;
pub(crate) mod health;
pub(crate) mod maintenance;
mod message_figures;
mod notices;
pub(crate) mod organization_exports;
pub(crate) mod organization_limits;
pub(crate) mod recommendations;
pub(crate) mod reconciliations;
pub(crate) mod refused_calls;
pub(crate) mod request_keys;
pub(crate) mod server_figures;
pub(crate) mod tenants;
pub(crate) mod traffic;
pub(crate) mod users;
pub(crate) mod wallet_corrections;
