//! Webhooks: addresses of the organization's own systems, which are called when something happens.

mod deliveries;
mod editor;

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use domain::webhooks::webhook::{WebhookEndpoint, WebhookEndpointUpdate};

use crate::frame::{
    Frame, Pages, Place, Posted, Query, Question, Route, Shown, Visit, get, id_of, once, post,
};
use crate::words::{InWords, Words};

const PATH: &str = "/app/webhooks";

#[derive(Template)]
#[template(path = "webhooks/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

struct Row {
    href: String,
    url: String,
    state: Words,
    events: String,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, list),
        get("/app/webhooks/{id}/stop", ask_to_stop),
        post("/app/webhooks/{id}/stop", stop),
        post("/app/webhooks/{id}/start", start),
        get("/app/webhooks/{id}/delete", ask_to_delete),
        post("/app/webhooks/{id}/delete", delete),
        get(editor::NEW, editor::make),
        post(editor::NEW, editor::create),
        get("/app/webhooks/{id}/edit", editor::edit),
        post("/app/webhooks/{id}/edit", editor::save),
        get("/app/webhooks/{id}/secret", editor::ask_to_rotate),
        post("/app/webhooks/{id}/secret", editor::rotate),
        get("/app/webhooks/{id}", deliveries::show),
        post("/app/webhooks/{id}/test", deliveries::test),
        post("/app/webhooks/{id}/recover", deliveries::recover),
        get("/app/webhooks/{id}/deliveries/{delivery}", deliveries::show_delivery),
        post("/app/webhooks/{id}/deliveries/{delivery}/retry", deliveries::retry),
    ]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(50)?;
    let found = visit.api().webhook_endpoints.page(&visit.caller, page).await?;
    visit.show(&ListPage {
        frame: visit.frame(Place::Webhooks),
        pages: Pages::of(PATH, &query, &found),
        rows: found.items.into_iter().map(row).collect(),
        may_write: visit.may(Permission::ManageIntegrations),
    })
}

fn row(endpoint: WebhookEndpoint) -> Row {
    Row {
        href: address(endpoint.id, ""),
        state: endpoint.words(),
        events: events_of(&endpoint),
        url: endpoint.url,
    }
}

async fn ask_to_stop(visit: Visit, path: Path<String>) -> Shown {
    let text = "It is not called any more, and what waits for it fails. You can start it again, and \
                send again what it missed.";
    ask(&visit, &path, ["Stop the webhook?", text, "Stop the webhook", "/stop"]).await
}

async fn stop(visit: Visit, _: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    visit.api().webhook_endpoints.delete(&visit.caller, id).await?;
    Ok(visit.done(&address(id, ""), "The webhook is stopped."))
}

async fn start(visit: Visit, _: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let update = WebhookEndpointUpdate { is_active: Some(true), ..Default::default() };
    visit.api().webhook_endpoints.update(&visit.caller, id, update, Faults::default()).await?;
    Ok(visit.done(&address(id, ""), "The webhook is called again."))
}

async fn ask_to_delete(visit: Visit, path: Path<String>) -> Shown {
    let text = "It is gone with its secret, and what waits for it fails.";
    ask(&visit, &path, ["Delete the webhook?", text, "Delete the webhook", "/delete"]).await
}

async fn delete(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let deleted = once(&visit, &posted, async {
        visit.api().webhook_endpoints.remove(&visit.caller, id).await?;
        Ok(PATH.to_owned())
    });
    Ok(visit.done(&deleted.await?, "The webhook is deleted."))
}

/// Asks before an act on a webhook, by its title, its meaning, its button, and its page.
async fn ask(visit: &Visit, path: &str, [title, text, button, page]: [&'static str; 4]) -> Shown {
    visit.caller.authorize(Permission::ManageIntegrations)?;
    let endpoint = visit.api().webhook_endpoints.get(&visit.caller, id_of(path)?).await?;
    visit.show(&Question {
        frame: visit.frame(Place::Webhooks),
        title,
        text,
        button,
        action: address(endpoint.id, page),
        back: address(endpoint.id, ""),
        name: endpoint.url,
    })
}

/// Returns the address of a page of a webhook. `page` is empty, or begins with a slash.
fn address(id: Id<WebhookEndpoint>, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}

fn events_of(endpoint: &WebhookEndpoint) -> String {
    let Some(events) = &endpoint.events else { return "All".to_owned() };
    events.iter().map(|event| event.words().label).collect::<Vec<_>>().join(", ")
}
