//! `/app/messages`

use askama::Template;
use domain::{
    identity::permission::Permission,
    messaging::{delivery_log::LogRequest, message::Message},
    shared::{id::Id, page::Page},
};
use ports::messaging::delivery_logs::LogPart;
use usecases::{Error, messaging::delivery_logs::LogBeginning};

use super::{address_of, filter};
use crate::formats::{Formats, Moment, beginning};
use crate::frame::{Choice, Form, Frame, Pages, Place, Query, Shown, Visit};
use crate::words::{Explanation, InWords};

pub(super) const PATH: &str = "/app/messages";
const LIMIT: u32 = 25;
/// Maximum number of characters that a row shows of a text.
const MAX_TEXT: usize = 80;

#[derive(Template)]
#[template(path = "messages/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    statuses: Vec<Choice>,
    channels: Vec<Choice>,
    reasons: Vec<Choice>,
    campaigns: Vec<Choice>,
    events: Vec<Choice>,
    /// True if the bounds are times rather than days, as links from other pages have them.
    has_times: bool,
    /// Filters for the form that exports the messages.
    filters: Vec<(String, String)>,
    rows: Vec<Row>,
    /// Number of messages in all, in words for people; `None` after the first page.
    total: Option<String>,
    is_lower_bound: bool,
    /// Days that were searched, if not the whole log.
    searched: Option<(Moment, Moment)>,
    pages: Pages,
    shows_texts: bool,
    may_send: bool,
}

struct Row {
    href: String,
    recipient: String,
    channel: &'static str,
    status: Explanation,
    /// Name of the reason for the failure or the delay.
    reason: Option<&'static str>,
    /// Beginning of the text; blank if it is not shown.
    text: String,
    price: String,
    is_refunded: bool,
    is_test: bool,
    at: Moment,
}

/// Part of the log.
#[derive(Default)]
struct Found {
    messages: Vec<Message>,
    next: Option<Id<Message>>,
    total: Option<u64>,
    is_lower_bound: bool,
    searched: Option<(Moment, Moment)>,
}

pub(super) async fn list(visit: Visit, query: Query) -> Shown {
    let form = Form::filled(filter::LABELS, query.pairs().to_vec());
    let (form, found) = match find(&visit, &query).await {
        Ok(found) => (form, found),
        Err(refusal) => (form.refused(refusal)?, Found::default()),
    };
    let page = page(&visit, &query, form, found).await?;
    visit.answer(&page, page.form.has_faults())
}

async fn page(visit: &Visit, query: &Query, form: Form, found: Found) -> Result<ListPage, Error> {
    let formats = visit.formats();
    let shows_texts = visit.may(Permission::ReadTexts);
    let row = |message: &Message| Row::of(message, &formats, shows_texts);
    let is_filter =
        |(name, _): &&(String, String)| filter::LABELS.iter().any(|(known, _)| known == name);
    let next = found.next.map(|next| next.to_string());
    let has_times =
        ["from", "to"].iter().any(|name| query.get(name).is_some_and(|it| it.contains('T')));
    Ok(ListPage {
        frame: visit.frame(Place::Messages).refused(form.has_faults()),
        form,
        statuses: filter::statuses(),
        channels: filter::channels(),
        reasons: filter::reasons(),
        campaigns: filter::campaigns(visit, query.get("campaign")).await?,
        events: filter::events(visit, query.get("event")).await?,
        has_times,
        filters: query.pairs().iter().filter(is_filter).cloned().collect(),
        rows: found.messages.iter().map(row).collect(),
        total: found.total.map(|total| formats.count(total)),
        is_lower_bound: found.is_lower_bound,
        searched: found.searched,
        pages: Pages::by_cursor(PATH, query, next.as_deref()),
        shows_texts,
        may_send: visit.may(Permission::SendMessages),
    })
}

/// Returns the part of the log that the address names.
async fn find(visit: &Visit, query: &Query) -> Result<Found, Error> {
    let formats = visit.formats();
    let request = filter::read(|name| query.get(name).map(str::to_owned), &formats)?;
    let searched = searched(&request, &formats)?;
    let logs = &visit.api().delivery_logs;
    let Some(after) = query.get("after") else {
        let page = Page::new(None, Some(LIMIT.into()))?;
        let LogBeginning { page, next } = logs.beginning(&visit.caller, &request, page).await?;
        return Ok(Found {
            messages: page.items,
            next,
            total: Some(page.total),
            is_lower_bound: page.is_lower_bound,
            searched,
        });
    };
    let after: Id<Message> = after.parse().map_err(|_| Error::NotFound("part of the log"))?;
    let LogPart { messages, next } = logs.part(&visit.caller, &request, Some(after), LIMIT).await?;
    Ok(Found { messages, next, searched, ..Found::default() })
}

/// Returns the first and the last day of a search that does not look at the whole log.
fn searched(request: &LogRequest, formats: &Formats) -> Result<Option<(Moment, Moment)>, Error> {
    let filter = request.filter(formats.now())?;
    let to = filter.to.map_or(formats.now(), |to| to.min(formats.now()));
    Ok(filter.from.map(|from| (formats.date(from), formats.date(to))))
}

impl Row {
    fn of(message: &Message, formats: &Formats, shows_texts: bool) -> Self {
        let status = Explanation::of(message, formats.now());
        let reason = message.delivery.failure().map(|failure| failure.code.words().label);
        let text = message.draft.subject.as_deref().unwrap_or(&message.draft.body);
        Self {
            href: address_of(message.id),
            recipient: formats.phone(message.draft.recipient.as_str()),
            channel: message.draft.channel.words().label,
            status,
            reason: reason.filter(|reason| *reason != status.label),
            text: if shows_texts { beginning(text, MAX_TEXT) } else { String::new() },
            price: formats.money(message.cost),
            is_refunded: message.is_refunded(),
            is_test: message.is_sandbox,
            at: formats.time(message.created_at),
        }
    }
}
