//! The platform: tenants, limits, audit, analytics and health.

pub(crate) mod analytics;
pub(crate) mod background_tasks;
pub(crate) mod closings;
pub(crate) mod fraud;
pub(crate) mod health;
pub(crate) mod holdings;
pub(crate) mod impersonation;
pub(crate) mod limits;
pub(crate) mod message_figures;
pub(crate) mod refused_calls;
pub(crate) mod request_keys;
pub(crate) mod slots;
pub(crate) mod tenants;
pub(crate) mod users;
pub(crate) mod wallet_corrections;
