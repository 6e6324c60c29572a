//! `/app/suppressions`

use askama::Template;
use domain::audience::suppression::SuppressionFilter;
use domain::identity::permission::Permission;

use super::{LIST, entry::Entry};
use crate::frame::{Form, Frame, Labels, Pages, Place, Query, Shown, Visit, found_or_refused};

const LABELS: Labels = &[("search", "Search")];

#[derive(Template)]
#[template(path = "suppressions/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    entries: Vec<Entry>,
    pages: Pages,
    is_filtered: bool,
    may_write: bool,
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let filter = SuppressionFilter { search: query.get("search").map(str::to_owned) };
    let page = query.page_of(50)?;
    let found = visit.api().suppressions.page(&visit.caller, &filter, page).await;
    let (found, form) = found_or_refused(found, page, form)?;
    let (f, is_refused) = (visit.formats(), form.has_faults());
    let page = ListPage {
        frame: visit.frame(Place::Suppressions).refused(is_refused),
        form,
        pages: Pages::of(LIST, &query, &found),
        entries: found.items.iter().map(|entry| Entry::new(entry, &f)).collect(),
        is_filtered: filter.search.is_some(),
        may_write: visit.may(Permission::WriteSuppressions),
    };
    visit.answer(&page, is_refused)
}
