//! Suppressions: addresses that get no messages of the organization.

mod add;
mod entry;
mod import;
mod lift;
mod list;

use crate::frame::{Route, get, post};

const LIST: &str = "/app/suppressions";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(LIST, list::show),
        get("/app/suppressions/new", add::show),
        post("/app/suppressions/new", add::add),
        get(import::PATH, import::show),
        post(import::PATH, import::take),
        get("/app/suppressions/import/{id}", import::result),
        get("/app/suppressions/import/{id}/errors", import::errors),
        get("/app/suppressions/{id}/delete", lift::ask),
        post("/app/suppressions/{id}/delete", lift::lift),
    ]
}
