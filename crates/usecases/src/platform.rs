//! The platform: tenants, limits, audit, analytics and health.

pub mod analytics;
pub mod audit;
pub mod closings;
pub mod health;
pub mod notices;
pub mod organization_exports;
pub mod organization_limits;
pub mod recommendations;
pub mod reconciling;
pub mod refused_calls;
pub mod request_keys;
pub mod tenants;
pub mod traffic;
pub mod users;
pub mod wallet_corrections;
