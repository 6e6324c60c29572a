//! `/app/send`: messages to one person, to several people, or to oneself.

mod composition;
mod page;
mod preview;
mod recipients;
mod sending;

use crate::frame::routes::Route;

pub(crate) fn routes() -> Vec<Route> {
    [page::routes(), sending::routes()].into_iter().flatten().collect()
}
