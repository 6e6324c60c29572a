//! `/app/events/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;

use super::address;
use super::route::{Stop, retry_in_words, stops, texts};
use crate::formats::Moment;
use crate::frame::{Frame, Place, Shown, Visit, id_of};
use crate::words::{InWords, Words};

#[derive(Template)]
#[template(path = "events/detail.html")]
struct DetailPage {
    frame: Frame,
    href: String,
    name: String,
    slug: String,
    description: Option<String>,
    /// Reason for which it notifies nobody.
    problem: Option<Words>,
    stops: Vec<Stop>,
    retry: String,
    sender: Option<String>,
    made: Moment,
    may_write: bool,
    may_try: bool,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let linked = visit.api().events.get(&visit.caller, id).await?;
    let formats = visit.formats();
    visit.show(&DetailPage {
        frame: visit.frame(Place::Events),
        href: address(id, ""),
        problem: texts(&linked).err().map(InWords::words),
        stops: stops(&linked, formats),
        retry: retry_in_words(linked.event.retry()),
        made: formats.time(linked.event.created_at),
        name: linked.event.name,
        slug: linked.event.slug,
        description: linked.event.description,
        sender: linked.event.sender,
        may_write: visit.may(Permission::WriteEvents),
        may_try: visit.may(Permission::TriggerEvents),
    })
}
