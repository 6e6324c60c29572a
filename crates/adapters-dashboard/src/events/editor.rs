//! `/app/events/new` and `/app/events/{id}/edit`

use actix_web::web::Path;
use chrono::TimeDelta;
use domain::{
    content::template::{Template, TemplateFilter, TemplateStatus},
    identity::permission::Permission,
    outreach::event::{Event, LinkedEvent},
    shared::{channel::Channel, fault::Faults, page::Page},
};
use usecases::Error;

use super::{
    PATH, address,
    fields::{self, LABELS, PLACE, TEXT},
};
use crate::frame::{Choice, Form, Frame, Place, Posted, Shown, Visit, id_of, once};
use crate::words::InWords;

pub(super) const NEW: &str = "/app/events/new";
/// Number of templates that can be chosen; beside them, those that the event has.
const LISTED: i64 = 100;
/// Times to choose from, in seconds.
const WAITS: [i64; 8] = [60, 120, 300, 900, 1_800, 3_600, 21_600, 86_400];

#[derive(askama::Template)]
#[template(path = "events/editor.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    action: String,
    back: String,
    is_new: bool,
    lines: Vec<Line>,
    texts: Vec<Choice>,
    waits: Vec<Choice>,
    states: Vec<Choice>,
}

/// Fields of a channel.
struct Line {
    channel: &'static str,
    place: String,
    text: String,
    places: Vec<Choice>,
    texts: Vec<Choice>,
}

pub(super) async fn make(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteEvents)?;
    page(&visit, None, fields::blank()).await
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    let created = once(&visit, &posted, async {
        let mut faults = Faults::default();
        let request = fields::request(&posted, &mut faults);
        let created = visit.api().events.create(&visit.caller, request, faults).await?;
        Ok(address(created.event.id, ""))
    });
    match created.await {
        Ok(address) => Ok(visit.done(&address, "The event is saved.")),
        Err(refusal) => page(&visit, None, posted.form(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn edit(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteEvents)?;
    let linked = visit.api().events.get(&visit.caller, id_of(&path)?).await?;
    let form = fields::of(&linked.event);
    page(&visit, Some(&linked), form).await
}

pub(super) async fn save(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let (events, id) = (&visit.api().events, id_of(&path)?);
    let linked = events.get(&visit.caller, id).await?;
    let mut faults = Faults::default();
    let update = fields::update(&posted, &linked.event, &mut faults);
    match events.update(&visit.caller, id, update, faults).await {
        Ok(_) => Ok(visit.done(&address(id, ""), "The event is saved.")),
        Err(refusal) => page(&visit, Some(&linked), posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn page(visit: &Visit, linked: Option<&LinkedEvent>, form: Form) -> Shown {
    let templates = templates(visit, linked).await?;
    let event = linked.map(|linked| &linked.event);
    let page = EditorPage {
        frame: visit.frame(Place::Events).refused(form.has_faults()),
        form,
        action: event.map_or_else(|| NEW.to_owned(), |event| address(event.id, "/edit")),
        back: event.map_or_else(|| PATH.to_owned(), |event| address(event.id, "")),
        is_new: event.is_none(),
        lines: Channel::ALL.map(|channel| line(channel, &templates)).into(),
        texts: choices("None", &templates),
        waits: waits(visit, event),
        states: vec![
            Choice::new("DELIVERED", "not reached the person"),
            Choice::new("SENT", "not been sent"),
        ],
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the newest approved templates, and those of the event.
async fn templates(visit: &Visit, linked: Option<&LinkedEvent>) -> Result<Vec<Template>, Error> {
    let approved =
        TemplateFilter { status: Some(TemplateStatus::Approved), ..TemplateFilter::default() };
    let page = Page::new(None, Some(LISTED))?;
    let found = visit.api().templates.page(&visit.caller, approved, page).await?;
    let mut templates = found.items;
    for own in linked.into_iter().flat_map(|linked| &linked.templates) {
        if templates.iter().all(|template| template.id != own.id) {
            templates.push(own.clone());
        }
    }
    Ok(templates)
}

fn line(channel: Channel, templates: &[Template]) -> Line {
    let of_channel = templates.iter().filter(|it| it.content.channel == channel.into());
    let names = ["Not used", "First", "Second", "Third", "Fourth", "Fifth"];
    let values = ["", "1", "2", "3", "4", "5"];
    Line {
        channel: channel.words().label,
        place: format!("{PLACE}{channel}"),
        text: format!("{TEXT}{channel}"),
        places: values.into_iter().zip(names).map(|(it, name)| Choice::new(it, name)).collect(),
        texts: choices("The text of the other channels", of_channel),
    }
}

fn choices<'t>(none: &str, templates: impl IntoIterator<Item = &'t Template>) -> Vec<Choice> {
    let named = templates.into_iter().map(|it| Choice::new(it.id.to_string(), it.name.as_str()));
    Choice::after(none, named)
}

/// Returns the times to choose from, with that of the event.
fn waits(visit: &Visit, event: Option<&Event>) -> Vec<Choice> {
    let own = event.and_then(|event| event.wait().after).map(|after| after.num_seconds());
    let mut waits: Vec<i64> = WAITS.into_iter().chain(own).collect();
    waits.sort_unstable();
    waits.dedup();
    let formats = visit.formats();
    let named = waits.into_iter().map(|seconds| {
        Choice::new(seconds.to_string(), formats.duration(TimeDelta::seconds(seconds)))
    });
    Choice::after("Only if it fails", named)
}
