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

use crate::frame::{Route, get, post};

const PATH: &str = "/app/campaigns";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, list::list),
        get(audience::NEW, audience::show_new),
        post(audience::NEW, audience::create),
        get("/app/campaigns/{id}/audience", audience::show),
        post("/app/campaigns/{id}/audience", audience::save),
        get("/app/campaigns/{id}/text", text::show),
        post("/app/campaigns/{id}/text", text::save),
        get("/app/campaigns/{id}/check", check::show),
        get("/app/campaigns/{id}/time", time::show),
        post("/app/campaigns/{id}/time", time::save),
        get("/app/campaigns/{id}/move", time::ask),
        post("/app/campaigns/{id}/move", time::reschedule),
        get("/app/campaigns/{id}", detail::show),
        post("/app/campaigns/{id}/pause", acts::pause),
        post("/app/campaigns/{id}/resume", acts::resume),
        post("/app/campaigns/{id}/duplicate", acts::duplicate),
        get("/app/campaigns/{id}/cancel", acts::ask_to_cancel),
        post("/app/campaigns/{id}/cancel", acts::cancel),
        get("/app/campaigns/{id}/delete", acts::ask_to_delete),
        post("/app/campaigns/{id}/delete", acts::delete),
        get("/app/campaigns/{id}/recipients", recipients::list),
        get("/app/campaigns/{id}/recipients/file", recipients::download),
        get("/app/campaigns/{id}/resend-failed", again::ask),
        post("/app/campaigns/{id}/resend-failed", again::send),
    ]
}

/// Returns the address of a page of a campaign. `page` is empty, or begins with a slash.
fn address(id: CampaignId, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}
