//! `/app/events/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use usecases::Error;

use super::{PATH, address, id_of};
use crate::frame::{
    failure::Shown,
    navigation::Place,
    page::Frame,
    posted::Posted,
    routes::{Route, get, post},
    visit::Visit,
};

const DELETE: &str = "/app/events/{id}/delete";

/// Page that asks if an event is to be deleted.
#[derive(Template)]
#[template(path = "events/delete.html")]
struct DeletePage {
    frame: Frame,
    name: String,
    slug: String,
    href: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(DELETE, ask), post(DELETE, delete)]
}

async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteEvents).map_err(Error::from)?;
    let id = id_of(&path)?;
    let event = visit.api().events.get(&visit.caller, id).await?.event;
    visit.show(&DeletePage {
        frame: visit.frame(Place::Events),
        name: event.name,
        slug: event.slug,
        href: address(id, ""),
    })
}

async fn delete(visit: Visit, _: Posted, path: Path<String>) -> Shown {
    visit.api().events.delete(&visit.caller, id_of(&path)?).await?;
    Ok(visit.done(PATH, "The event is deleted."))
}
