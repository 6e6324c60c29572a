//! The platform: tenants, limits, audit, analytics and health.

pub(crate) mod analytics;
pub(crate) mod audit;
pub(crate) mod background_tasks;
pub(crate) mod call_records;
pub(crate) mod closings;
pub(crate) mod docs;
pub mod edge;
pub(crate) mod event_views;
pub(crate) mod health;
pub(crate) mod impersonation;
pub(crate) mod openapi;
pub(crate) mod organization_limits;
pub(crate) mod refused_calls;
pub(crate) mod request_metrics;
pub(crate) mod routing;
pub(crate) mod telemetry;
pub(crate) mod tenants;
pub(crate) mod traffic;
pub(crate) mod users;
pub(crate) mod wallet_corrections;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![
        traffic::area(),
        organization_limits::area(),
        analytics::area(),
        closings::area(),
        tenants::area(),
        wallet_corrections::area(),
        users::area(),
        impersonation::area(),
        audit::area(),
        refused_calls::area(),
        background_tasks::area(),
        health::area(),
    ]
}
