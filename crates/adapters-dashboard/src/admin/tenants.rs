//! Organizations, as platform administrators see and change them.

mod detail;
mod limits;
mod list;
mod suspension;
mod wallet;

use domain::{identity::organization::Organization, shared::id::Id};

use crate::frame::{Route, get, post};

const LIST: &str = "/app/admin/tenants";

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(LIST, list::show),
        get("/app/admin/tenants/{id}", detail::show),
        get("/app/admin/tenants/{id}/limits", limits::show),
        post("/app/admin/tenants/{id}/limits", limits::save),
        get("/app/admin/tenants/{id}/suspend", suspension::ask),
        post("/app/admin/tenants/{id}/suspend", suspension::suspend),
        post("/app/admin/tenants/{id}/restore", suspension::restore),
        get("/app/admin/tenants/{id}/wallet", wallet::ask),
        post("/app/admin/tenants/{id}/wallet", wallet::correct),
    ]
}

/// Returns the address of a page of an organization. `page` is empty, or begins with a slash.
pub(super) fn address(id: Id<Organization>, page: &str) -> String {
    format!("{LIST}/{id}{page}")
}
