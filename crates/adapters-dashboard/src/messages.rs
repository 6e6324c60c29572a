//! The log of messages, single messages, and exports.

mod again;
mod detail;
mod exports;
pub(crate) mod filter;
mod list;
mod timeline;

use domain::{messaging::message::Message, shared::id::Id};

use crate::frame::{Failure, Route, get, post};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(list::PATH, list::list),
        get(exports::PATH, exports::list),
        post(exports::PATH, exports::begin),
        get("/app/messages/exports/{id}", exports::show),
        get("/app/messages/exports/{id}/file", exports::download),
        get("/app/messages/exports/{id}/delete", exports::ask_to_delete),
        post("/app/messages/exports/{id}/delete", exports::delete),
        get("/app/messages/{id}", detail::show),
        get("/app/messages/{id}/resend", again::show),
        post("/app/messages/{id}/resend", again::resend),
    ]
}

fn address_of(id: Id<Message>) -> String {
    format!("/app/messages/{id}")
}

/// Reads the identifier in the address of the page of a message.
fn read_id(text: &str) -> Result<Id<Message>, Failure> {
    Id::parse_either(text).map_err(|_| Failure::UnknownPage)
}
