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

use crate::frame::{failure::Failure, routes::Route};

/// Address of the list.
const LIST: &str = "/app/segments";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [list::routes(), edit::routes(), detail::routes(), delete::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the address of a segment.
fn address(id: Id<Segment>) -> String {
    format!("{LIST}/{id}")
}

/// Returns the segment that an address names.
fn id_of(text: &str) -> Result<Id<Segment>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}

/// Returns a number of contacts in words. `number` is as people write it.
fn contacts(number: &str) -> String {
    if number == "1" { "1 contact".to_owned() } else { format!("{number} contacts") }
}
