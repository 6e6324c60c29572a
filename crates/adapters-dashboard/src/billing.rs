//! Money: the balance, payments into it, and what it is spent on.

mod balance;
mod invoices;
mod movement;
mod top_ups;
mod usage;

use crate::frame::{Entry, Route, get, post};

const BALANCE: &str = "/app/billing";
const TOP_UP: &str = "/app/billing/top-up";
const TOP_UPS: &str = "/app/billing/top-ups";
const USAGE: &str = "/app/billing/usage";
const INVOICES: &str = "/app/billing/invoices";
const PER_PAGE: i64 = 25;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(BALANCE, balance::show),
        post(BALANCE, balance::save),
        get(TOP_UP, top_ups::form),
        post(TOP_UP, top_ups::begin),
        get(TOP_UPS, top_ups::list),
        get("/app/billing/top-ups/{id}", top_ups::show),
        post("/app/billing/top-ups/{id}/check", top_ups::check),
        get(USAGE, usage::show),
        get(INVOICES, invoices::list),
        get("/app/billing/invoices/{id}", invoices::show),
    ]
}

/// Returns the links between these pages.
fn tabs(current: &str) -> Vec<Entry> {
    let entry = |(href, label): (&str, _)| Entry {
        href: href.to_owned(),
        label,
        is_current: href == current,
    };
    let labels = ["Balance", "Top-ups", "Usage and prices", "Invoices"];
    [BALANCE, TOP_UPS, USAGE, INVOICES].into_iter().zip(labels).map(entry).collect()
}
