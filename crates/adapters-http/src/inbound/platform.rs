//! The platform: tenants, limits, audit, analytics and health.

pub(crate) mod analytics;
pub(crate) mod audit;
pub(crate) mod docs;
pub(crate) mod event_views;
pub(crate) mod health;
pub(crate) mod impersonation;
pub(crate) mod openapi;
pub(crate) mod organization_limits;
pub(crate) mod routing;
pub(crate) mod telemetry;
pub(crate) mod tenants;
pub(crate) mod traffic;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![
        traffic::area(),
        organization_limits::area(),
        analytics::area(),
        tenants::area(),
        impersonation::area(),
        audit::area(),
        health::area(),
    ]
}
