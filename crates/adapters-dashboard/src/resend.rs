//! Failed messages that are sent again, many at a time.

mod overview;
mod progress;
mod task;

use crate::frame::{Route, get, post};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get("/app/resend", overview::show),
        post("/app/resend", overview::begin),
        get("/app/resend/{id}", progress::show),
    ]
}
