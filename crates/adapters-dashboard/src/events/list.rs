//! `/app/events`

use askama::Template;
use domain::{
    identity::permission::Permission,
    outreach::event::{EventFilter, LinkedEvent},
    shared::page::Page,
};
use usecases::Error;

use super::{
    PATH, address,
    route::{Stop, stops, texts},
};
use crate::{
    formats::Formats,
    frame::{
        failure::Shown,
        form::{Form, Labels},
        navigation::Place,
        page::Frame,
        pages::{Numbered, Pages},
        query::Query,
        routes::{Route, get},
        visit::Visit,
    },
    words::{InWords, Words},
};

/// Number of events on a page.
const LIMIT: u32 = 25;
/// Name of the filter by a part of the name.
const SEARCH: &str = "search";
const LABELS: Labels = &[(SEARCH, "Name")];

/// Page with the events.
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

/// Event in the list.
struct Row {
    href: String,
    messages: String,
    name: String,
    slug: String,
    stops: Vec<Stop>,
    /// Reason for which it notifies nobody.
    problem: Option<Words>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, list)]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let page = Page::new(Some(query.page().into()), Some(LIMIT.into())).map_err(Error::from)?;
    let search = query.get(SEARCH).map(str::to_owned);
    let form = Form::new(LABELS).with(SEARCH, search.as_deref().unwrap_or_default());
    let is_filtered = search.is_some();
    let found = visit.api().events.page(&visit.caller, EventFilter { search }, page).await?;
    let list = Numbered {
        limit: LIMIT,
        shown: u64::try_from(found.items.len()).unwrap_or_default(),
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    };
    let formats = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Events),
        form,
        is_filtered,
        rows: found.items.iter().map(|linked| row(linked, formats)).collect(),
        pages: Pages::numbered(PATH, &query, list),
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
