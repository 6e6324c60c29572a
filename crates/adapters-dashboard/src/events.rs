//! Events: occasions on which people are notified, over several channels one after the other.

mod delete;
mod detail;
mod editor;
mod fields;
mod list;
mod route;
mod trial;

use domain::{outreach::event::Event, shared::id::Id};

use crate::frame::{Route, get, post};

const PATH: &str = "/app/events";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, list::list),
        get(editor::NEW, editor::make),
        post(editor::NEW, editor::create),
        get("/app/events/{id}/edit", editor::edit),
        post("/app/events/{id}/edit", editor::save),
        get("/app/events/{id}", detail::show),
        get("/app/events/{id}/try", trial::show),
        post("/app/events/{id}/try", trial::happen),
        get("/app/events/{id}/delete", delete::ask),
        post("/app/events/{id}/delete", delete::delete),
    ]
}

/// Returns the address of a page of an event. `page` is empty, or begins with a slash.
fn address(id: Id<Event>, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}
