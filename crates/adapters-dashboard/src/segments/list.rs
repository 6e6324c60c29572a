//! `/app/segments`

use askama::Template;
use domain::{
    audience::segment::CountedSegment, identity::permission::Permission, shared::page::Page,
};
use usecases::Error;

use super::{LIST, address};
use crate::{
    formats::{Formats, Moment},
    frame::{
        failure::Shown,
        navigation::Place,
        page::Frame,
        pages::{Numbered, Pages},
        query::Query,
        routes::{Route, get},
        visit::Visit,
    },
};

const PER_PAGE: u32 = 25;
/// Maximum number of characters of a purpose in the list.
const SHOWN: usize = 120;

/// Page with the segments.
#[derive(Template)]
#[template(path = "segments/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

/// Segment in the list.
struct Row {
    href: String,
    name: String,
    description: Option<String>,
    contacts: String,
    counted: Moment,
    is_fixed: bool,
}

impl Row {
    fn new(counted: CountedSegment, f: &Formats) -> Self {
        let segment = counted.segment;
        Self {
            href: address(segment.id),
            name: segment.name,
            description: segment.description.map(|text| beginning(&text)),
            contacts: f.count(counted.contacts),
            counted: f.distance(counted.counted_at),
            is_fixed: !segment.is_dynamic,
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(LIST, show)]
}

async fn show(visit: Visit, query: Query) -> Shown {
    let page = Page::new(Some(query.page().into()), Some(PER_PAGE.into())).map_err(Error::from)?;
    let found = visit.api().segments.page(&visit.caller, page).await?;
    let numbered = Numbered {
        limit: PER_PAGE,
        shown: u64::try_from(found.items.len()).unwrap_or(u64::MAX),
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    };
    let f = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Segments),
        rows: found.items.into_iter().map(|segment| Row::new(segment, &f)).collect(),
        pages: Pages::numbered(LIST, &query, numbered),
        may_write: visit.may(Permission::WriteAudience),
    })
}

/// Returns the beginning of a text.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
