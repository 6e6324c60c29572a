//! The log of messages, single messages, and exports.

mod again;
mod detail;
mod exports;
pub(crate) mod filter;
mod list;
mod timeline;

use domain::{messaging::message::Message, shared::id::Id};

use crate::frame::{failure::Failure, routes::Route};

/// Returns the pages and acts.
pub(crate) fn routes() -> Vec<Route> {
    [list::routes(), exports::routes(), detail::routes(), again::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the address of the page of a message.
fn address_of(id: Id<Message>) -> String {
    format!("/app/messages/{id}")
}

/// Reads the identifier in the address of the page of a message.
fn read_id(text: &str) -> Result<Id<Message>, Failure> {
    Id::parse_either(text).map_err(|_| Failure::UnknownPage)
}
