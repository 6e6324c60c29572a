//! Pages of platform administrators.

mod approvals;
mod audit;
mod impersonation;
mod overview;
mod payment_exceptions;
mod pricing;
mod revenue;
mod sending_windows;
mod tenants;

use crate::frame::{Route, get, post};

pub(crate) fn routes() -> Vec<Route> {
    let mut routes = vec![
        get("/app/admin", overview::show),
        get("/app/admin/tenants/{id}/impersonate", impersonation::ask),
        post("/app/admin/tenants/{id}/impersonate", impersonation::begin),
        post("/app/leave-impersonation", impersonation::leave),
        get("/app/admin/revenue", revenue::show),
        get(audit::PATH, audit::show),
        get(payment_exceptions::LIST, payment_exceptions::list),
        get("/app/admin/payment-exceptions/{id}", payment_exceptions::show),
        post("/app/admin/payment-exceptions/{id}/credit", payment_exceptions::credit),
        post("/app/admin/payment-exceptions/{id}/resolve", payment_exceptions::resolve),
        get(sending_windows::LIST, sending_windows::list),
        get("/app/admin/sending-windows/new", sending_windows::offer),
        post("/app/admin/sending-windows/new", sending_windows::create),
        get("/app/admin/sending-windows/{id}", sending_windows::show),
        post("/app/admin/sending-windows/{id}", sending_windows::save),
        get("/app/admin/sending-windows/{id}/delete", sending_windows::ask),
        post("/app/admin/sending-windows/{id}/delete", sending_windows::delete),
    ];
    routes.extend(tenants::routes());
    routes.extend(approvals::routes());
    routes.extend(pricing::routes());
    routes
}
