//! `/app/contacts`

use askama::Template;
use domain::audience::contact::{ContactDetails, ContactFilter};
use domain::identity::permission::Permission;
use domain::shared::id::Id;
use domain::shared::page::Page;

use super::{LIST, address, name_of};
use crate::formats::{Formats, Moment};
use crate::frame::{Failure, Form, Frame, Labels, Pages, Place, Query, Shown, Visit};
use crate::words::{InWords, Words};

const LABELS: Labels = &[("search", "Search"), ("tag", "Tag")];
const PER_PAGE: u32 = 25;
/// Maximum number of tags of a contact in the list.
const SHOWN_TAGS: usize = 3;

#[derive(Template)]
#[template(path = "contacts/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    /// Number of contacts in words; `None` beyond the first part, where they are not counted.
    summary: Option<String>,
    rows: Vec<Row>,
    pages: Pages,
    is_filtered: bool,
    may_write: bool,
}

struct Row {
    href: String,
    name: Option<String>,
    phone: String,
    email: String,
    tags: Vec<String>,
    /// Number of tags that are left out.
    more_tags: usize,
    is_suppressed: bool,
    last: Option<(Words, Moment)>,
}

impl Row {
    fn new(details: ContactDetails, f: &Formats) -> Self {
        let contact = details.contact;
        Self {
            href: address(contact.id),
            name: name_of(&contact),
            phone: contact.phone.map(|phone| f.phone(phone.as_str())).unwrap_or_default(),
            email: contact.email.map(|email| email.as_str().to_owned()).unwrap_or_default(),
            more_tags: contact.tags.len().saturating_sub(SHOWN_TAGS),
            tags: contact.tags.into_iter().take(SHOWN_TAGS).collect(),
            is_suppressed: !details.suppressions.is_empty(),
            last: details.last_message.map(|it| (it.status.words(), f.distance(it.at))),
        }
    }
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let f = visit.formats();
    let filter = ContactFilter {
        search: query.get("search").map(str::to_owned),
        tag: query.get("tag").map(str::to_owned),
        ..ContactFilter::default()
    };
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let found = match found(&visit, &filter, &query, &f).await {
        Ok(found) => Ok((found, form)),
        Err(Failure::Refused(refusal)) => Err(form.refused(refusal)?),
        Err(failure) => return Err(failure),
    };
    let is_refused = found.is_err();
    let (Found { contacts, next, summary }, form) =
        found.unwrap_or_else(|form| (Found::default(), form));
    let page = ListPage {
        frame: visit.frame(Place::Contacts).refused(is_refused),
        form,
        summary,
        rows: contacts.into_iter().map(|contact| Row::new(contact, &f)).collect(),
        pages: Pages::by_cursor(LIST, &query, next.as_deref()),
        is_filtered: !filter.is_empty(),
        may_write: visit.may(Permission::WriteAudience),
    };
    visit.answer(&page, is_refused)
}

/// Part of the list.
#[derive(Default)]
struct Found {
    contacts: Vec<ContactDetails>,
    /// Place of the next part.
    next: Option<String>,
    summary: Option<String>,
}

async fn found(
    visit: &Visit,
    filter: &ContactFilter,
    query: &Query,
    f: &Formats,
) -> Result<Found, Failure> {
    let contacts = &visit.api().contacts;
    if let Some(after) = query.get("after") {
        let after = after.parse::<Id<_>>().map_err(|_| Failure::UnknownPage)?;
        let part = contacts.part(&visit.caller, filter, Some(after), PER_PAGE).await?;
        let next = part.next.map(|next| next.to_string());
        return Ok(Found { contacts: part.contacts, next, summary: None });
    }
    let first = Page::new(None, Some(PER_PAGE.into()))?;
    let beginning = contacts.beginning(&visit.caller, filter, first).await?;
    let next = beginning.next.map(|next| next.to_string());
    let (total, count) = (beginning.page.total, f.count(beginning.page.total));
    let summary = match (total, beginning.page.is_lower_bound) {
        (_, true) => format!("More than {count} contacts"),
        (1, false) => "1 contact".to_owned(),
        (_, false) => format!("{count} contacts"),
    };
    Ok(Found { contacts: beginning.page.items, next, summary: Some(summary) })
}
