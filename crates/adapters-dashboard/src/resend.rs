//! Failed messages that are sent again, many at a time.

mod overview;
mod progress;
mod task;

use crate::frame::routes::Route;

/// Returns the pages and acts.
pub(crate) fn routes() -> Vec<Route> {
    [overview::routes(), progress::routes()].into_iter().flatten().collect()
}
