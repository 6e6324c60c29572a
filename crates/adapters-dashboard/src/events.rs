//! Events: occasions on which people are notified, over several channels one after the other.

mod delete;
mod detail;
mod editor;
mod fields;
mod list;
mod route;
mod trial;

use domain::{outreach::event::Event, shared::id::Id};

use crate::frame::{failure::Failure, routes::Route};

const PATH: &str = "/app/events";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [list::routes(), editor::routes(), detail::routes(), trial::routes(), delete::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the event that an address names.
fn id_of(text: &str) -> Result<Id<Event>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}

/// Returns the address of a page of an event. `page` is empty, or begins with a slash.
fn address(id: Id<Event>, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}
