//! `/app/segments`

use askama::Template;
use domain::{audience::segment::CountedSegment, identity::permission::Permission};

use super::{LIST, address};
use crate::formats::{Formats, Moment, beginning};
use crate::frame::{Frame, Pages, Place, Query, Shown, Visit};

/// Maximum number of characters of a purpose in the list.
const SHOWN: usize = 120;

#[derive(Template)]
#[template(path = "segments/list.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

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
            description: segment.description.map(|text| beginning(&text, SHOWN)),
            contacts: f.count(counted.contacts),
            counted: f.distance(counted.counted_at),
            is_fixed: !segment.is_dynamic,
        }
    }
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let page = query.page_of(25)?;
    let found = visit.api().segments.page(&visit.caller, page).await?;
    let f = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Segments),
        pages: Pages::of(LIST, &query, &found),
        rows: found.items.into_iter().map(|segment| Row::new(segment, &f)).collect(),
        may_write: visit.may(Permission::WriteAudience),
    })
}
