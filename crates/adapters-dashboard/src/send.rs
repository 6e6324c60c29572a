//! `/app/send`: messages to one person, to several people, or to oneself.

mod composition;
mod page;
mod preview;
mod recipients;
mod sending;

use crate::frame::{Route, get, post};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(page::PATH, page::show),
        post(page::PATH, sending::send),
        post("/app/send/preview", page::preview),
    ]
}
