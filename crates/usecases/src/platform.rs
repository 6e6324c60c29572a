//! The platform: tenants, limits, audit, analytics and health.

pub mod analytics;
pub mod audit;
pub mod health;
pub mod organization_limits;
pub mod recommendations;
pub mod tenants;
pub mod traffic;
