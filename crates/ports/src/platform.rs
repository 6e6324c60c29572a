//! The platform: tenants, limits, audit, analytics and health.

pub mod analytics;
pub mod audit_log;
pub mod background_tasks;
pub mod closings;
pub mod health;
pub mod notices;
pub mod organization_exports;
pub mod organization_limits;
pub mod rate_limits;
pub mod recommendations;
pub mod reconciliations;
pub mod refused_calls;
pub mod request_keys;
pub mod tenants;
pub mod traffic;
pub mod users;
pub mod wallet_corrections;
