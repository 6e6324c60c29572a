//! `/app/requests`: calls of the organization's programs that were refused.

use askama::Template;
use domain::identity::api_key::ApiKey;
use domain::platform::refused_call::{RefusedCall, RefusedCallFilter};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use usecases::{Error, platform::refused_calls::RefusedCallPart};

use crate::formats::{Formats, Moment};
use crate::frame::{
    Choice, Form, Frame, Labels, Pages, Place, Query, Route, Shown, Visit, capitalized, get,
};
use crate::words::REFUSALS;

const PATH: &str = "/app/requests";
const LABELS: Labels = &[("key", "Key"), ("status", "Status"), ("request", "Request id")];

#[derive(Template)]
#[template(path = "requests/list.html")]
struct ListPage {
    frame: Frame,
    form: Form,
    keys: Vec<Choice>,
    statuses: Vec<Choice>,
    is_filtered: bool,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    call: RefusedCall,
    at: Moment,
    /// Name of the key with which it was made.
    key: String,
    sentence: String,
}

pub(crate) fn routes() -> Vec<Route> {
    vec![get(PATH, list)]
}

async fn list(visit: Visit, query: Query) -> Shown {
    let keys = visit.api().api_keys.list(&visit.caller).await?;
    let form = Form::filled(LABELS, query.pairs().to_vec());
    let (form, part) = match find(&visit, &query).await {
        Ok(part) => (form, part),
        Err(refusal) => (form.refused(refusal)?, RefusedCallPart { calls: Vec::new(), next: None }),
    };
    let (formats, is_refused) = (visit.formats(), form.has_faults());
    let next = part.next.map(|next| next.to_string());
    let page = ListPage {
        frame: visit.frame(Place::Requests).refused(is_refused),
        form,
        keys: choices("All", keys.iter().map(|key| (key.id.to_string(), key.name.as_str()))),
        statuses: choices("All", REFUSALS.map(|(status, name)| (status.to_string(), name))),
        is_filtered: LABELS.iter().any(|(name, _)| query.get(name).is_some()),
        rows: part.calls.into_iter().map(|call| row(call, &keys, formats)).collect(),
        pages: Pages::by_cursor(PATH, &query, next.as_deref()),
    };
    visit.answer(&page, is_refused)
}

async fn find(visit: &Visit, query: &Query) -> Result<RefusedCallPart, Error> {
    let (filter, after) = filter(query)?;
    visit.api().refused_calls.list(&visit.caller, &filter, after, 25).await
}

/// Reads the filters, and the call after which the page begins.
fn filter(query: &Query) -> Result<(RefusedCallFilter, Option<Id<RefusedCall>>), Faults> {
    let mut faults = Faults::default();
    let request = query.get("request").map(str::to_owned);
    if request.as_ref().is_some_and(|id| !id.bytes().all(|byte| byte.is_ascii_graphic())) {
        faults.add("request", "is not that of an answer of ours");
    }
    let (status, key) = (query.parsed("status", &mut faults), query.parsed("key", &mut faults));
    let after = query.parsed("after", &mut faults);
    faults.or((RefusedCallFilter { request, status, code: None, key }, after))
}

fn choices<'c>(all: &str, named: impl IntoIterator<Item = (String, &'c str)>) -> Vec<Choice> {
    let named = named.into_iter().map(|(value, name)| Choice::new(value, name));
    Choice::after(all, named)
}

fn row(call: RefusedCall, keys: &[ApiKey], formats: Formats) -> Row {
    let key = match call.key {
        Some(id) => keys.iter().find(|key| key.id == id).map_or("A revoked key", |key| &key.name),
        None => "A person",
    };
    Row {
        at: formats.exact_time(call.at),
        key: key.to_owned(),
        sentence: capitalized(&call.message),
        call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_from_the_address_or_refused() {
        let id = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";
        let query = Query::parse(&format!("key={id}&status=404&request=a-1&after={id}"));
        let (read, after) = filter(&query).unwrap();
        assert_eq!((read.status, read.request.as_deref()), (Some(404), Some("a-1")));
        assert!(read.key.is_some() && after.is_some());

        let faults = filter(&Query::parse("key=1&status=many&request=a%00b&after=2")).unwrap_err();
        let names = faults.fields.keys().collect::<Vec<_>>();
        assert_eq!(names, ["after", "key", "request", "status"]);
    }
}
