//! `/app/webhooks/{id}` with its deliveries, and `/app/webhooks/{id}/deliveries/{delivery}`

use actix_web::web::Path;
use askama::Template;
use chrono::TimeDelta;
use domain::identity::permission::Permission;
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use domain::shared::webhook_event::WebhookEvent;
use domain::webhooks::outbound_event::OutboundEvent;
use domain::webhooks::webhook::{
    CallOutcome, DeliveryRecord, DeliveryRecordFilter, DeliveryRecordStatus, WebhookCallResult,
    WebhookEndpoint,
};
use usecases::{Error, webhooks::webhook_endpoints::Recovered};

use super::{address, events_of};
use crate::formats::{Formats, Moment, beginning};
use crate::frame::{
    Choice, Entry, Failure, Form, Frame, Labels, Notice, Pages, Place, Posted, Query, Shown, Visit,
    id_of,
};
use crate::words::{InWords, Words, undelivered};

const LABELS: Labels = &[("event", "Event"), ("since", "Since")];
/// Maximum number of characters of a body that a page shows.
const MAX_BODY: usize = 8_000;

#[derive(Template)]
#[template(path = "webhooks/detail.html")]
struct DetailPage {
    frame: Frame,
    form: Form,
    href: String,
    url: String,
    state: Words,
    is_active: bool,
    events: String,
    failing_since: Option<Moment>,
    may_write: bool,
    choices: Vec<Choice>,
    tabs: Vec<Entry>,
    rows: Vec<Delivery>,
    pages: Pages,
}

#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
struct DeliveryPage {
    frame: Frame,
    back: String,
    delivery: Delivery,
    head: String,
    body: String,
    may_retry: bool,
}

/// Delivery of an event.
struct Delivery {
    href: String,
    event: Words,
    status: Words,
    reason: Option<Words>,
    /// The last answer, and the time that it took.
    answer: String,
    attempts: u32,
    happened: Moment,
    attempted: Option<Moment>,
    next: Option<Moment>,
}

pub(super) async fn show(visit: Visit, query: Query, path: Path<String>) -> Shown {
    let formats = visit.formats();
    let yesterday = formats.field_time(formats.now() - TimeDelta::days(1));
    let form = Form::new(LABELS).with("since", yesterday);
    page(&visit, id_of(&path)?, &query, form).await
}

pub(super) async fn test(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let (id, mut faults) = (id_of(&path)?, Faults::default());
    let event = posted.parsed("event", &mut faults);
    match visit.api().webhook_endpoints.test(&visit.caller, id, event, faults).await {
        Ok(result) => Ok(visit.go(&address(id, ""), Some(tested(result)))),
        Err(refusal) => refuse(&visit, id, &posted, refusal).await,
    }
}

/// Returns the notice of a test call's result.
fn tested(result: WebhookCallResult) -> Notice {
    let took = result.took.num_milliseconds();
    match result.outcome {
        CallOutcome::Answered { status, .. } if result.outcome.is_success() => {
            Notice::done(format!("It works: your server answered {status} after {took} ms."))
        }
        CallOutcome::Answered { status, .. } => {
            Notice::bad(format!("It does not work: your server answered {status}, not 200."))
        }
        CallOutcome::Failed(failure) => Notice::bad(failure.words().meaning),
    }
}

pub(super) async fn recover(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let (id, formats, mut faults) = (id_of(&path)?, visit.formats(), Faults::default());
    let since = posted.text("since").and_then(|text| {
        faults.take("since", formats.parse_time(&text).ok_or("must be a day and a time"))
    });
    match visit.api().webhook_endpoints.recover(&visit.caller, id, since, faults).await {
        Ok(Recovered { deliveries, has_more }) => {
            let more = if has_more { " There are more: do it once more." } else { "" };
            let text =
                format!("Deliveries that are sent again: {}.{more}", formats.count(deliveries));
            Ok(visit.done(&address(id, ""), text))
        }
        Err(refusal) => refuse(&visit, id, &posted, refusal).await,
    }
}

/// Shows the page again with what is wrong with a form.
async fn refuse(visit: &Visit, id: Id<WebhookEndpoint>, posted: &Posted, refusal: Error) -> Shown {
    let form = posted.form(LABELS).refused(refusal)?;
    page(visit, id, &Query::default(), form).await
}

async fn page(visit: &Visit, id: Id<WebhookEndpoint>, query: &Query, form: Form) -> Shown {
    let (endpoints, formats) = (&visit.api().webhook_endpoints, visit.formats());
    let endpoint = endpoints.get(&visit.caller, id).await?;
    let status = query.get("status").and_then(|status| status.parse().ok());
    let filter = DeliveryRecordFilter { status, ..DeliveryRecordFilter::default() };
    let page = query.page_of(50)?;
    let found = endpoints.deliveries(&visit.caller, id, filter, page).await?;
    let href = address(id, "");
    let choice = |event: WebhookEvent| Choice::new(event.as_str(), event.words().label);
    let page = DetailPage {
        frame: visit.frame(Place::Webhooks).refused(form.has_faults()),
        form,
        state: endpoint.words(),
        is_active: endpoint.is_active,
        events: events_of(&endpoint),
        failing_since: endpoint.failing_since.map(|since| formats.time(since)),
        url: endpoint.url,
        may_write: visit.may(Permission::ManageIntegrations),
        choices: WebhookEvent::ALL.map(choice).into(),
        tabs: tabs(&href, status),
        rows: found.items.iter().map(|record| delivery(id, record, formats)).collect(),
        pages: Pages::of(&href, query, &found),
        href,
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the links to all deliveries and to those of each status.
fn tabs(href: &str, chosen: Option<DeliveryRecordStatus>) -> Vec<Entry> {
    let by_status = DeliveryRecordStatus::ALL.map(|status| Entry {
        href: format!("{href}?status={}", status.as_str()),
        label: status.words().label,
        is_current: chosen == Some(status),
    });
    let all = Entry { href: href.to_owned(), label: "All", is_current: chosen.is_none() };
    [all].into_iter().chain(by_status).collect()
}

fn delivery(id: Id<WebhookEndpoint>, record: &DeliveryRecord, formats: Formats) -> Delivery {
    let answer = record.status_code.map_or_else(|| "None".to_owned(), |status| status.to_string());
    let took = record.took.map(|took| format!(", after {} ms", took.num_milliseconds()));
    Delivery {
        href: address(id, &format!("/deliveries/{}", record.event.id)),
        event: record.event.event.words(),
        status: record.status.words(),
        reason: undelivered(record),
        answer: answer + &took.unwrap_or_default(),
        attempts: record.attempts,
        happened: formats.exact_time(record.event.at),
        attempted: record.attempted_at.map(|at| formats.exact_time(at)),
        next: record.due_at.map(|at| formats.exact_time(at)),
    }
}

pub(super) async fn show_delivery(visit: Visit, path: Path<(String, String)>) -> Shown {
    let (id, of) = ids(path)?;
    let endpoints = &visit.api().webhook_endpoints;
    let endpoint = endpoints.get(&visit.caller, id).await?;
    let record = endpoints.delivery(&visit.caller, id, of).await?;
    visit.show(&DeliveryPage {
        frame: visit.frame(Place::Webhooks),
        back: address(id, ""),
        delivery: delivery(id, &record, visit.formats()),
        head: head(&endpoint, &record.event),
        body: body(&record.event),
        may_retry: endpoint.is_active && visit.may(Permission::ManageIntegrations),
    })
}

pub(super) async fn retry(visit: Visit, _: Posted, path: Path<(String, String)>) -> Shown {
    let (id, of) = ids(path)?;
    visit.api().webhook_endpoints.retry(&visit.caller, id, of).await?;
    Ok(visit.done(&address(id, &format!("/deliveries/{of}")), "It is sent again."))
}

fn ids(path: Path<(String, String)>) -> Result<(Id<WebhookEndpoint>, Id<OutboundEvent>), Failure> {
    let (endpoint, delivery) = path.into_inner();
    Ok((id_of(&endpoint)?, id_of(&delivery)?))
}

/// Returns the lines before the body that are the same in each attempt.
fn head(endpoint: &WebhookEndpoint, event: &OutboundEvent) -> String {
    let (url, name, id) = (&endpoint.url, event.event.as_str(), event.id);
    format!("POST {url}\nContent-Type: application/json\nX-Service-Event: {name}\nwebhook-id: {id}")
}

/// Returns the body, one value a line. Of a long one, it is the beginning, with a mark.
fn body(event: &OutboundEvent) -> String {
    let body = event.body();
    let read = serde_json::from_str::<serde_json::Value>(&body).ok();
    beginning(&read.map_or(body, |read| format!("{read:#}")), MAX_BODY)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::identity::organization::PLATFORM;

    use super::*;

    #[test]
    fn a_body_is_shown_line_by_line_and_cut_if_it_is_long() {
        for (characters, is_cut) in [(5, false), (MAX_BODY, true)] {
            let event = OutboundEvent {
                id: Id::new_in(DateTime::UNIX_EPOCH, PLATFORM),
                organization: PLATFORM,
                event: WebhookEvent::ContactOptedOut,
                subject: PLATFORM.uuid(),
                data: format!(r#"{{"body":"{}"}}"#, "ɛ".repeat(characters)),
                at: DateTime::UNIX_EPOCH,
            };
            let body = body(&event);
            assert!(body.lines().count() > 3 && body.chars().count() <= MAX_BODY + 1);
            assert_eq!(body.ends_with('…'), is_cut, "{characters}");
        }
    }
}
