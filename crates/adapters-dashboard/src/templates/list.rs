//! `/app/templates`

use domain::content::template::{Template, TemplateFilter, TemplateStatus};
use domain::identity::permission::Permission;

use super::{PATH, address};
use crate::formats::{Formats, Moment, beginning};
use crate::frame::{Entry, Form, Frame, Labels, Pages, Place, Query, Shown, Visit};
use crate::words::{InWords, Words};

/// Maximum number of characters that a row shows of a text.
const MAX_TEXT: usize = 100;
const STATUS: &str = "status";
const SEARCH: &str = "search";
const LABELS: Labels = &[(SEARCH, "Name")];
/// States of templates; only earlier versions are in others.
const STATES: [TemplateStatus; 3] =
    [TemplateStatus::Approved, TemplateStatus::PendingApproval, TemplateStatus::Rejected];

#[derive(askama::Template)]
#[template(path = "templates/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    /// Value of the state that is shown, blank for all.
    status: &'static str,
    tabs: Vec<Entry>,
    rows: Vec<Row>,
    pages: Pages,
    is_filtered: bool,
    may_write: bool,
}

struct Row {
    href: String,
    name: String,
    status: Words,
    channel: &'static str,
    purpose: &'static str,
    text: String,
    made: Moment,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let status = query.get(STATUS).and_then(|name| name.parse::<TemplateStatus>().ok());
    let search = query.get(SEARCH).map(str::to_owned);
    let form = Form::new(LABELS).with(SEARCH, search.as_deref().unwrap_or_default());
    let is_filtered = status.is_some() || search.is_some();
    let filter = TemplateFilter { status, search, ..TemplateFilter::default() };
    let page = query.page_of(25)?;
    let found = visit.api().templates.page(&visit.caller, filter, page).await?;
    let formats = visit.formats();
    visit.show(&ListPage {
        frame: visit.frame(Place::Templates),
        form,
        status: status.map_or("", TemplateStatus::as_str),
        tabs: tabs(&query, status),
        pages: Pages::of(PATH, &query, &found),
        rows: found.items.iter().map(|template| row(template, formats)).collect(),
        is_filtered,
        may_write: visit.may(Permission::WriteAudience),
    })
}

fn tabs(query: &Query, shown: Option<TemplateStatus>) -> Vec<Entry> {
    let tab = |label: &'static str, status: Option<TemplateStatus>| Entry {
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
