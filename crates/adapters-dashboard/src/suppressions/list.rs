//! `/app/suppressions`

use askama::Template;
use domain::{
    audience::suppression::{Suppression, SuppressionFilter},
    identity::permission::Permission,
    shared::page::{Page, Paged},
};
use usecases::Error;

use super::{LIST, entry::Entry};
use crate::frame::{
    failure::Shown,
    form::{Form, Labels},
    navigation::Place,
    page::Frame,
    pages::{Numbered, Pages},
    query::Query,
    routes::{Route, get},
    visit::Visit,
};

const LABELS: Labels = &[("search", "Search")];
const PER_PAGE: u32 = 50;

/// Page with the list.
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

pub(super) fn routes() -> Vec<Route> {
    vec![get(LIST, show)]
}

async fn show(visit: Visit, query: Query) -> Shown {
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let filter = SuppressionFilter { search: query.get("search").map(str::to_owned) };
    let page = Page::new(Some(query.page().into()), Some(PER_PAGE.into())).map_err(Error::from)?;
    let found = visit.api().suppressions.page(&visit.caller, &filter, page).await;
    let (found, form): (Paged<Suppression>, Form) = match found {
        Ok(found) => (found, form),
        Err(refusal) => (Paged::counted(Vec::new(), page, 0), form.refused(refusal)?),
    };
    let numbered = Numbered {
        limit: PER_PAGE,
        shown: u64::try_from(found.items.len()).unwrap_or(u64::MAX),
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    };
    let (f, is_refused) = (visit.formats(), form.has_faults());
    let page = ListPage {
        frame: visit.frame(Place::Suppressions).refused(is_refused),
        form,
        entries: found.items.iter().map(|entry| Entry::new(entry, &f)).collect(),
        pages: Pages::numbered(LIST, &query, numbered),
        is_filtered: filter.search.is_some(),
        may_write: visit.may(Permission::WriteSuppressions),
    };
    if is_refused { visit.show_refused(&page) } else { visit.show(&page) }
}
