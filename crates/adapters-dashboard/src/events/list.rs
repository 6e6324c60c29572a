//! `/app/events`

use askama::Template;
use domain::identity::permission::Permission;
use domain::outreach::event::{EventFilter, LinkedEvent};

use super::route::{Stop, stops, texts};
use super::{PATH, address};
use crate::formats::Formats;
use crate::frame::{Form, Frame, Labels, Pages, Place, Query, Shown, Visit};
use crate::words::{InWords, Words};

const SEARCH: &str = "search";
const LABELS: Labels = &[(SEARCH, "Name")];

#[derive(Template)]
#[template(path = "events/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    is_filtered: bool,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

struct Row {
    href: String,
    messages: String,
    name: String,
    slug: String,
    stops: Vec<Stop>,
    /// Reason for which it notifies nobody.
    problem: Option<Words>,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(25)?;
    let search = query.get(SEARCH).map(str::to_owned);
    let form = Form::new(LABELS).with(SEARCH, search.as_deref().unwrap_or_default());
    let is_filtered = search.is_some();
    let found = visit.api().events.page(&visit.caller, EventFilter { search }, page).await?;
    let formats = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Events),
        form,
        is_filtered,
        pages: Pages::of(PATH, &query, &found),
        rows: found.items.iter().map(|linked| row(linked, formats)).collect(),
        may_write: visit.may(Permission::WriteEvents),
    })
}

fn row(linked: &LinkedEvent, formats: Formats) -> Row {
    let event = &linked.event;
    Row {
        href: address(event.id, ""),
        messages: format!("/app/messages?event={}", event.slug),
        name: event.name.clone(),
        slug: event.slug.clone(),
        stops: stops(linked, formats),
        problem: texts(linked).err().map(InWords::words),
    }
}
