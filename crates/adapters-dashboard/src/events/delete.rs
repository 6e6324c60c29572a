//! `/app/events/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;

use super::{PATH, address};
use crate::frame::{Frame, Place, Posted, Shown, Visit, id_of};

#[derive(Template)]
#[template(path = "events/delete.html")]
struct DeletePage {
    frame: Frame,
    name: String,
    slug: String,
    href: String,
}

pub(super) async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteEvents)?;
    let id = id_of(&path)?;
    let event = visit.api().events.get(&visit.caller, id).await?.event;
    visit.show(&DeletePage {
        frame: visit.frame(Place::Events),
        name: event.name,
        slug: event.slug,
        href: address(id, ""),
    })
}

pub(super) async fn delete(visit: Visit, _: Posted, path: Path<String>) -> Shown {
    visit.api().events.delete(&visit.caller, id_of(&path)?).await?;
    Ok(visit.done(PATH, "The event is deleted."))
}
