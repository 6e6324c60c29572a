//! `/app/resend`

use askama::Template;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::identity::actor::RequestId;
use domain::messaging::delivery::Status;
use domain::messaging::delivery_log::{LogRequest, SEARCHED};
use domain::shared::fault::Faults;
use domain::shared::money::Money;
use usecases::Error;
use usecases::messaging::resends::{ResendForecast, ResendMessages, ResendableCount};

use super::task::{Task, address_of, log_of};
use crate::formats::{Formats, Moment};
use crate::frame::{
    Choice, Failure, Form, Frame, Labels, Place, Posted, Query, Shown, Visit, once,
};
use crate::messages::filter;
use crate::words::Explanation;

const LABELS: Labels =
    &[("from", "Accepted since"), ("to", "Until"), ("reason", "Reason"), ("channel", "Channel")];
/// Time that the page looks at unless another one is chosen.
const USUAL: TimeDelta = TimeDelta::days(1);
/// Filters that one can choose.
const FILTERS: [&str; 3] = ["from", "reason", "channel"];

#[derive(Template)]
#[template(path = "resend/overview.html")]
struct OverviewPage {
    frame: Frame,
    form: Form,
    reasons: Vec<Choice>,
    channels: Vec<Choice>,
    /// Failed messages; `None` if the filters are wrong.
    found: Option<Found>,
    tasks: Vec<Task>,
    is_live: bool,
}

/// Failed messages that fit the filters.
struct Found {
    rows: Vec<Row>,
    since: Moment,
    until: Moment,
    /// End of that time for the form, so that it sends what the page shows.
    to: String,
    count: String,
    log: String,
    is_capped: bool,
    /// Number of those that would be sent again, in words for people.
    resendable: String,
    is_one: bool,
    is_none: bool,
    price: String,
    balance: String,
    /// Money that the wallet lacks.
    shortfall: Option<String>,
}

struct Row {
    reason: &'static str,
    remedy: &'static str,
    count: String,
    log: String,
    resendable: String,
    price: String,
}

pub(super) async fn show(visit: Visit, query: Query) -> Shown {
    let formats = visit.formats();
    let mut form = Form::filled(LABELS, query.pairs().to_vec());
    if query.get("from").is_none() {
        form = form.with("from", formats.field_time(formats.now() - USUAL));
    }
    let shown = form.clone();
    let value = |name: &str| Some(shown.value(name).trim().to_owned()).filter(|it| !it.is_empty());
    answer(&visit, form, command(value, &formats)).await
}

pub(super) async fn begin(visit: Visit, posted: Posted) -> Shown {
    let formats = visit.formats();
    let request = visit.request_id()?;
    match once(&visit, &posted, begin_task(&visit, &posted, request)).await {
        Ok(address) => {
            Ok(visit.done(&address, "The work begins. You can leave this page and come back."))
        }
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            answer(&visit, form, command(|name| posted.text(name), &formats)).await
        }
    }
}

async fn begin_task(visit: &Visit, posted: &Posted, request: RequestId) -> Result<String, Error> {
    let command = command(|name| posted.text(name), &visit.formats());
    let task = visit.api().resends.begin(&visit.caller, command, request).await?;
    Ok(address_of(task.id))
}

async fn answer(visit: &Visit, form: Form, command: ResendMessages) -> Shown {
    let (form, found) = match find(visit, command).await {
        Ok(found) => (form, Some(found)),
        // A form that was refused already says why.
        Err(Error::Invalid(_)) if form.has_faults() => (form, None),
        Err(refusal) => (form.refused(refusal)?, None),
    };
    let page = page(visit, form, found).await?;
    visit.answer(&page, page.form.has_faults())
}

async fn page(visit: &Visit, form: Form, found: Option<Found>) -> Result<OverviewPage, Failure> {
    let formats = visit.formats();
    let tasks = visit.api().resends.newest(&visit.caller).await?;
    let tasks: Vec<_> = tasks.iter().map(|task| Task::of(task, &formats)).collect();
    Ok(OverviewPage {
        frame: visit.frame(Place::Resend).refused(form.has_faults()),
        form,
        reasons: filter::reasons(),
        channels: filter::channels(),
        found,
        is_live: tasks.iter().any(|task| task.is_live),
        tasks,
    })
}

/// Returns the command of the form. `value` returns the value of a name; `None` if it is blank.
fn command(value: impl Fn(&str) -> Option<String>, formats: &Formats) -> ResendMessages {
    let now = formats.now();
    let read = filter::read(|name| value(name).filter(|_| FILTERS.contains(&name)), formats);
    let (mut request, faults) = match read {
        Ok(request) => (request, Faults::default()),
        Err(faults) => (LogRequest { from: Some(now - USUAL), ..LogRequest::default() }, faults),
    };
    let to = value("to").and_then(|text| DateTime::parse_from_rfc3339(&text).ok());
    // A page that was not shown yet looks at what there is.
    request.to = to.map(|to| to.to_utc()).or(request.from.map(|from| end(from, now)));
    ResendMessages { request, is_dry_run: false, faults }
}

/// Returns the end of the time in which messages are looked for.
fn end(from: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    let latest = from.checked_add_signed(SEARCHED).unwrap_or(now);
    if from < now { latest.min(now) } else { latest }
}

async fn find(visit: &Visit, command: ResendMessages) -> Result<Found, Error> {
    let request = command.request.clone();
    let forecast = visit.api().resends.forecast(&visit.caller, command).await?;
    let wallet = visit.api().billing.wallet(&visit.caller).await?;
    Ok(Found::of(&forecast, &request, wallet.balance, &visit.formats()))
}

impl Found {
    fn of(
        forecast: &ResendForecast,
        request: &LogRequest,
        balance: Money,
        formats: &Formats,
    ) -> Self {
        let resendable = forecast.by_reason.iter().map(|reason| reason.resendable).sum::<u64>();
        let (now, shortfall) = (formats.now(), forecast.cost - balance);
        let (from, to) = (request.from.unwrap_or(now), request.to.unwrap_or(now));
        let row = |reason: &ResendableCount| Row::of(reason, request, formats);
        Self {
            rows: forecast.by_reason.iter().map(row).collect(),
            since: formats.time(from),
            until: formats.time(to),
            to: to.to_rfc3339_opts(SecondsFormat::Micros, true),
            count: formats.count(forecast.count),
            log: log_of(&bounds(request, formats)),
            is_capped: forecast.is_capped,
            resendable: formats.count(resendable),
            is_one: resendable == 1,
            is_none: resendable == 0,
            price: formats.money(forecast.cost),
            balance: formats.money(balance),
            shortfall: (shortfall > Money::ZERO).then(|| formats.money(shortfall)),
        }
    }
}

impl Row {
    fn of(reason: &ResendableCount, request: &LogRequest, formats: &Formats) -> Self {
        let Explanation { label, remedy, .. } = Explanation::of_failure(reason.code);
        let request = LogRequest { error_code: Some(reason.code), ..request.clone() };
        Self {
            reason: label,
            remedy,
            count: formats.count(reason.count),
            log: log_of(&bounds(&request, formats)),
            resendable: formats.count(reason.resendable),
            price: formats.money(reason.cost),
        }
    }
}

/// Returns the filters of the log for the failed messages of a request.
fn bounds(request: &LogRequest, formats: &Formats) -> [(&'static str, String); 4] {
    let from = request.from.map(|from| formats.field_time(from));
    let reason = request.error_code.map(|code| code.as_str().to_owned());
    let channel = request.channel.map(|channel| channel.as_str().to_owned());
    [
        ("status", Status::Failed.as_str().to_owned()),
        ("from", from.unwrap_or_default()),
        ("reason", reason.unwrap_or_default()),
        ("channel", channel.unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use domain::{
        messaging::delivery::FailureCode,
        shared::{channel::Channel, country::Country},
    };

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-26T12:00:00Z".parse().unwrap()
    }

    fn command_of(pairs: &[(&str, &str)]) -> ResendMessages {
        let formats = Formats::new("Africa/Accra", Country::GH, now());
        let value = |name: &str| {
            let pair = pairs.iter().find(|(known, _)| *known == name);
            pair.map(|(_, value)| (*value).to_owned())
        };
        command(value, &formats)
    }

    #[test]
    fn the_failures_of_a_time_are_those_until_now_of_at_most_31_days() {
        for (from, expected) in [
            ("2026-11-25T12:00", now()),
            ("2026-01-01T00:00", "2026-02-01T00:00:00Z".parse().unwrap()),
        ] {
            let request = command_of(&[("from", from)]).request;
            assert_eq!(request.to, Some(expected), "{from}");
            assert!(request.failures(now()).is_ok(), "{from}");
        }
    }

    #[test]
    fn the_form_sends_what_the_page_showed() {
        let until =
            (now() - TimeDelta::microseconds(7)).to_rfc3339_opts(SecondsFormat::Micros, true);
        let command = command_of(&[
            ("from", "2026-11-25T12:00"),
            ("to", &until),
            ("reason", "UNDELIVERED"),
            ("channel", "SMS"),
        ]);

        let ResendMessages { request, faults, .. } = command;
        assert!(faults.is_empty(), "{faults}");
        assert_eq!(request.to, Some(now() - TimeDelta::microseconds(7)));
        assert_eq!(request.error_code, Some(FailureCode::Undelivered));
        assert_eq!(request.channel, Some(Channel::Sms));
    }

    #[test]
    fn all_filters_that_make_no_sense_are_named() {
        let faults = command_of(&[("from", "yesterday"), ("reason", "none")]).faults;

        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["from", "reason"]);
    }

    #[test]
    fn the_price_is_compared_with_the_wallet() {
        let formats = Formats::new("Africa/Accra", Country::GH, now());
        let code = FailureCode::Undelivered;
        let cost = Money::from_cedis(3);
        let reason = ResendableCount { code, count: 5, resendable: 3, cost };
        let forecast = ResendForecast { count: 5, is_capped: false, cost, by_reason: vec![reason] };
        let found = |balance| {
            Found::of(&forecast, &LogRequest::default(), Money::from_cedis(balance), &formats)
        };

        assert_eq!((found(3).resendable.as_str(), found(3).shortfall), ("3", None));
        assert_eq!(found(2).shortfall.as_deref(), Some("GHS 1.00"));
    }
}
