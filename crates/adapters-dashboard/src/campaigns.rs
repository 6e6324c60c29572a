//! Campaigns: one text to many contacts, made in four steps.

mod acts;
mod again;
mod audience;
mod check;
mod detail;
mod forecast;
mod list;
mod recipients;
mod text;
mod time;
mod wizard;

use domain::messaging::message::CampaignId;

use crate::frame::{failure::Failure, routes::Route};

const PATH: &str = "/app/campaigns";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [
        list::routes(),
        audience::routes(),
        text::routes(),
        check::routes(),
        time::routes(),
        detail::routes(),
        acts::routes(),
        recipients::routes(),
        again::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the campaign that an address names.
fn id_of(text: &str) -> Result<CampaignId, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}

/// Returns the address of a page of a campaign. `page` is empty, or begins with a slash.
fn address(id: CampaignId, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}
