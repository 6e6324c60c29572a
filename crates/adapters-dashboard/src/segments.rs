//! Segments: parts of the contacts, described by conditions.

mod conditions;
mod delete;
mod detail;
mod edit;
mod editor;
mod list;
mod operator;
mod person;
mod rule_text;

use domain::{audience::segment::Segment, shared::id::Id};

use crate::frame::{Route, get, post};

const LIST: &str = "/app/segments";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(LIST, list::show),
        get("/app/segments/new", edit::offer),
        post("/app/segments/new", edit::create),
        get("/app/segments/{id}/edit", edit::show),
        post("/app/segments/{id}/edit", edit::save),
        post("/app/segments/preview", edit::preview),
        get("/app/segments/{id}", detail::show),
        get("/app/segments/{id}/delete", delete::ask),
        post("/app/segments/{id}/delete", delete::delete),
    ]
}

fn address(id: Id<Segment>) -> String {
    format!("{LIST}/{id}")
}

/// Returns a number of contacts in words. `number` is as people write it.
fn contacts(number: &str) -> String {
    if number == "1" { "1 contact".to_owned() } else { format!("{number} contacts") }
}
