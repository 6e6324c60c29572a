//! The dashboard: pages for people, under `/app`.
//!
//! It is an adapter beside the REST API: it uses the edge of that one (connections, addresses,
//! sessions, limits) and calls the use cases. Each folder is a page or a group of pages, with its
//! templates; `frame` is what all pages share.

mod access;
mod account;
mod admin;
mod api_keys;
mod billing;
mod campaigns;
mod charts;
mod contacts;
mod events;
mod formats;
mod frame;
mod home;
mod messages;
mod passages;
mod providers;
mod requests;
mod resend;
mod segments;
mod send;
mod settings;
mod suppressions;
mod team;
mod templates;
mod webhooks;
mod words;

use actix_web::web::ServiceConfig;

use self::frame::routes::Route;

/// Adds the pages to an application of `adapters_http`.
pub fn site(config: &mut ServiceConfig) {
    frame::routes::mount(all(), config);
}

/// Returns the methods and addresses of all pages, for tests that attack each of them.
pub fn routes() -> Vec<(&'static str, &'static str)> {
    let names = |route: Route| (if route.is_post() { "POST" } else { "GET" }, route.path);
    all().into_iter().map(names).collect()
}

fn all() -> Vec<Route> {
    [
        access::routes(),
        home::routes(),
        messages::routes(),
        send::routes(),
        resend::routes(),
        contacts::routes(),
        segments::routes(),
        suppressions::routes(),
        templates::routes(),
        campaigns::routes(),
        events::routes(),
        billing::routes(),
        team::routes(),
        settings::routes(),
        account::routes(),
        api_keys::routes(),
        webhooks::routes(),
        requests::routes(),
        providers::routes(),
        admin::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
