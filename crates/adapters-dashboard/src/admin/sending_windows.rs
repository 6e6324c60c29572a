//! `/app/admin/sending-windows`

use std::{fmt::Display, str::FromStr};

use actix_web::web::Path;
use askama::Template;
use domain::messaging::sending_window::{SendingWindow, SendingWindowRequest, Weekday};
use domain::shared::category::Category;
use domain::shared::fault::Faults;

use crate::frame::{
    Administration, Choice, Failure, Form, Frame, Labels, Pages, Place, Posted, Query, Question,
    Shown, id_of, once_of,
};
use crate::words::{InWords, Tone, Words, day_name, days_in_words};

pub(super) const LIST: &str = "/app/admin/sending-windows";
const WEEKDAYS: &str = "weekdays";
const LABELS: Labels = &[
    ("countryCode", "Country"),
    ("category", "Messages"),
    (WEEKDAYS, "Days"),
    ("opens", "Opens"),
    ("closes", "Closes"),
    ("utcOffset", "Clocks"),
    ("source", "Rule"),
    ("isActive", "In force"),
];

#[derive(Template)]
#[template(path = "admin/sending_windows.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pages,
}

#[derive(Template)]
#[template(path = "admin/sending_window.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    /// Window that is changed; `None` for a new one.
    row: Option<Row>,
    categories: Vec<Choice>,
    weekdays: Vec<Choice>,
}

struct Row {
    href: String,
    /// Messages and country for which it is.
    subject: String,
    days: String,
    hours: String,
    source: String,
    state: Words,
}

impl Row {
    fn new(window: &SendingWindow) -> Self {
        let hours = &window.hours;
        let (label, tone) =
            if window.is_active { ("In force", Tone::Good) } else { ("Off", Tone::Neutral) };
        Self {
            href: format!("{LIST}/{}", window.id),
            subject: format!("“{}” to {}", window.category.words().label, window.country),
            days: days_in_words(&hours.weekdays),
            hours: format!("{} to {} (UTC{})", hours.opens, hours.closes, hours.utc_offset),
            source: window.source.clone(),
            state: Words { label, meaning: "", tone },
        }
    }
}

pub(super) async fn list(of: Administration, query: Query) -> Shown {
    let page = query.page_of(50)?;
    let found = of.api().sending_windows.page(&of.administrator, page).await?;
    of.show(&ListPage {
        frame: of.frame(Place::SendingWindows),
        rows: found.items.iter().map(Row::new).collect(),
        pages: Pages::of(LIST, &query, &found),
    })
}

pub(super) async fn offer(of: Administration) -> Shown {
    let form = Form::new(LABELS).with("countryCode", "GH").with("utcOffset", "+00:00");
    editor(&of, None, form.with("isActive", "yes"))
}

pub(super) async fn create(of: Administration, posted: Posted) -> Shown {
    let created = once_of(of.person(), &posted, async {
        let mut faults = Faults::default();
        let request = request(&posted, &mut faults);
        of.api().sending_windows.create(&of.administrator, request, faults).await?;
        Ok(LIST.to_owned())
    });
    match created.await {
        Ok(list) => Ok(of.done(&list, "The sending window is saved.")),
        Err(refusal) => editor(&of, None, posted.form(LABELS).refused(refusal)?),
    }
}

pub(super) async fn show(of: Administration, id: Path<String>) -> Shown {
    let window = find(&of, &id).await?;
    let hours = &window.hours;
    let mut form = Form::new(LABELS)
        .with("countryCode", window.country.as_str())
        .with("category", window.category.as_str())
        .with("opens", hours.opens.to_string())
        .with("closes", hours.closes.to_string())
        .with("utcOffset", hours.utc_offset.to_string())
        .with("source", window.source.as_str());
    for day in &hours.weekdays {
        form = form.with(WEEKDAYS, day.as_str());
    }
    let form = if window.is_active { form.with("isActive", "yes") } else { form };
    editor(&of, Some(&window), form)
}

pub(super) async fn save(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let window = find(&of, &id).await?;
    let mut faults = Faults::default();
    let request = request(&posted, &mut faults);
    let windows = &of.api().sending_windows;
    match windows.update(&of.administrator, window.id, request, faults).await {
        Ok(_) => Ok(of.done(LIST, "The sending window is saved.")),
        Err(refusal) => editor(&of, Some(&window), posted.form(LABELS).refused(refusal)?),
    }
}

pub(super) async fn ask(of: Administration, id: Path<String>) -> Shown {
    let row = Row::new(&find(&of, &id).await?);
    of.show(&Question {
        frame: of.frame(Place::SendingWindows),
        title: "Delete the sending window?",
        name: format!("{}, {}, {}", row.subject, row.days, row.hours),
        text: "If no other window of these messages is in force, they go at any time from now on.",
        button: "Delete it",
        action: format!("{}/delete", row.href),
        back: row.href,
    })
}

pub(super) async fn delete(of: Administration, posted: Posted, id: Path<String>) -> Shown {
    let id = id_of(&id)?;
    let deleted = once_of(of.person(), &posted, async {
        of.api().sending_windows.delete(&of.administrator, id).await?;
        Ok(LIST.to_owned())
    });
    Ok(of.done(&deleted.await?, "The sending window is deleted."))
}

async fn find(of: &Administration, id: &str) -> Result<SendingWindow, Failure> {
    Ok(of.api().sending_windows.get(&of.administrator, id_of(id)?).await?)
}

/// Reads the form. Every field is there, so that a blank one does not leave a value as it was.
fn request(posted: &Posted, faults: &mut Faults) -> SendingWindowRequest {
    let days = posted.all(WEEKDAYS);
    let days: Vec<Weekday> = days.filter_map(|day| faults.take(WEEKDAYS, day.parse())).collect();
    SendingWindowRequest {
        country: field("countryCode", posted, faults),
        category: field("category", posted, faults),
        weekdays: Some(days),
        opens: field("opens", posted, faults),
        closes: field("closes", posted, faults),
        utc_offset: field("utcOffset", posted, faults),
        source: Some(posted.raw("source").to_owned()),
        is_active: Some(posted.is_set("isActive")),
    }
}

fn field<T: FromStr<Err: Display>>(name: &str, posted: &Posted, faults: &mut Faults) -> Option<T> {
    faults.take(name, posted.raw(name).trim().parse())
}

fn editor(of: &Administration, window: Option<&SendingWindow>, form: Form) -> Shown {
    let waiting = Category::ALL.into_iter().filter(|it| !it.is_urgent());
    let page = EditorPage {
        frame: of.frame(Place::SendingWindows).refused(form.has_faults()),
        form,
        row: window.map(Row::new),
        categories: Choice::of_all(waiting, Category::as_str),
        weekdays: Weekday::ALL.map(|it| Choice::new(it.as_str(), day_name(it))).into(),
    };
    of.answer(&page, page.form.has_faults())
}
