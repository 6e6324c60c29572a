//! `/app/templates`

use domain::{
    content::template::{Template, TemplateFilter, TemplateStatus},
    identity::permission::Permission,
    shared::page::Page,
};
use usecases::Error;

use super::{PATH, address, beginning};
use crate::{
    formats::{Formats, Moment},
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

/// Number of templates on a page.
const LIMIT: u32 = 25;
/// Maximum number of characters that a row shows of a text.
const MAX_TEXT: usize = 100;
const STATUS: &str = "status";
const SEARCH: &str = "search";
const LABELS: Labels = &[(SEARCH, "Name")];
/// States of templates; only earlier versions are in others.
const STATES: [TemplateStatus; 3] =
    [TemplateStatus::Approved, TemplateStatus::PendingApproval, TemplateStatus::Rejected];

/// Page with the templates.
#[derive(askama::Template)]
#[template(path = "templates/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    /// Value of the state that is shown, blank for all.
    status: &'static str,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    pages: Pages,
    is_filtered: bool,
    may_write: bool,
}

/// Link to the templates in a state.
struct Tab {
    href: String,
    label: &'static str,
    is_current: bool,
}

/// Template in the list.
struct Row {
    href: String,
    name: String,
    status: Words,
    channel: &'static str,
    purpose: &'static str,
    text: String,
    made: Moment,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, list)]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let status = query.get(STATUS).and_then(|name| name.parse::<TemplateStatus>().ok());
    let search = query.get(SEARCH).map(str::to_owned);
    let form = Form::new(LABELS).with(SEARCH, search.as_deref().unwrap_or_default());
    let is_filtered = status.is_some() || search.is_some();
    let filter = TemplateFilter { status, search, ..TemplateFilter::default() };
    let page = Page::new(Some(query.page().into()), Some(LIMIT.into())).map_err(Error::from)?;
    let found = visit.api().templates.page(&visit.caller, filter, page).await?;
    let list = Numbered {
        limit: LIMIT,
        shown: u64::try_from(found.items.len()).unwrap_or_default(),
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    };
    let formats = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Templates),
        form,
        status: status.map_or("", TemplateStatus::as_str),
        tabs: tabs(&query, status),
        rows: found.items.iter().map(|template| row(template, formats)).collect(),
        pages: Pages::numbered(PATH, &query, list),
        is_filtered,
        may_write: visit.may(Permission::WriteAudience),
    })
}

fn tabs(query: &Query, shown: Option<TemplateStatus>) -> Vec<Tab> {
    let tab = |label: &'static str, status: Option<TemplateStatus>| Tab {
        href: query.address(PATH, STATUS, status.map_or("", TemplateStatus::as_str)),
        label,
        is_current: status == shown,
    };
    let states = STATES.map(|status| tab(status.words().label, Some(status)));
    [tab("All", None)].into_iter().chain(states).collect()
}

fn row(template: &Template, formats: Formats) -> Row {
    let content = &template.content;
    Row {
        href: address(template.id, ""),
        name: template.name.clone(),
        status: template.status.words(),
        channel: content.channel.words().label,
        purpose: content.category.words().label,
        text: beginning(content.subject.as_deref().unwrap_or(&content.body), MAX_TEXT),
        made: formats.date(template.created_at),
    }
}
