//! Suppressions: addresses that get no messages of the organization.

mod add;
mod entry;
mod import;
mod lift;
mod list;

use crate::frame::routes::Route;

/// Address of the list.
const LIST: &str = "/app/suppressions";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [list::routes(), add::routes(), import::routes(), lift::routes()]
        .into_iter()
        .flatten()
        .collect()
}
