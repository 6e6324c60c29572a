//! The start of a campaign: `/app/campaigns/{id}/time`, the last step, which sends it, and
//! `/app/campaigns/{id}/move`, another time for one that is scheduled.

use actix_web::web::Path;
use askama::Template;
use chrono::{DateTime, Utc};
use domain::identity::permission::Permission;
use domain::messaging::message::CampaignId;
use domain::outreach::campaign::{Campaign, CampaignStatus, CampaignUpdate};
use domain::shared::change::Change;
use domain::shared::fault::Faults;
use usecases::Error;

use super::address;
use super::forecast::Forecast;
use super::wizard::{ShownStep, Step, draft, steps, to_text};
use crate::formats::Formats;
use crate::frame::{Choice, Form, Frame, Labels, Notice, Place, Posted, Shown, Visit, id_of, once};
use crate::words::InWords;

/// Field with the choice between now and later, and its values.
const WHEN: &str = "when";
const NOW: &str = "now";
const LATER: &str = "later";
const TIME: &str = "scheduledAt";
const SEND: &str = "send";
const LABELS: Labels = &[(WHEN, "Start"), (TIME, "Time")];
/// Code of the refusal of a text that waits for approval from now on.
const APPROVAL_REQUIRED: &str = "APPROVAL_REQUIRED";

#[derive(Template)]
#[template(path = "campaigns/time.html")]
struct TimePage {
    frame: Frame,
    f: Formats,
    form: Form,
    steps: Vec<ShownStep>,
    starts: Vec<Choice>,
    forecast: Forecast,
    name: String,
    back: String,
    hint: String,
    may_send: bool,
}

#[derive(Template)]
#[template(path = "campaigns/move.html")]
struct MovePage {
    frame: Frame,
    form: Form,
    starts: Vec<Choice>,
    name: String,
    back: String,
    hint: String,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let later = draft.scheduled_at.filter(|at| *at > visit.api().clock.now());
    let form = form_of(&visit, later);
    show_step(&visit, draft, form).await
}

pub(super) async fn save(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&path)?;
    let starts_at = start(&posted, &visit);
    let is_sent = posted.is_set(SEND);
    let saved = once(&visit, &posted, async {
        move_to(&visit, id, starts_at?).await?;
        if is_sent {
            send(&visit, id).await?;
        }
        Ok(address(id, ""))
    });
    match saved.await {
        Ok(next) if is_sent => Ok(visit.go(&next, Some(notice(&visit, id).await?))),
        Ok(next) => Ok(visit.done(&next, "The draft is saved.")),
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            show_step(&visit, draft(&visit, id).await?, form).await
        }
    }
}

/// Sends the draft. A text that needs approval is sent once it is approved, which is no fault.
async fn send(visit: &Visit, id: CampaignId) -> Result<(), Error> {
    match visit.api().campaigns.send(&visit.caller, id).await {
        Err(refusal) if refusal.code() == APPROVAL_REQUIRED => Ok(()),
        sent => sent.map(drop),
    }
}

/// Returns what became of a campaign that was sent.
async fn notice(visit: &Visit, id: CampaignId) -> Result<Notice, Error> {
    let status = visit.api().campaigns.get(&visit.caller, id).await?.campaign.status.words();
    Ok(Notice::done(format!("{}: {}", status.label, status.meaning)))
}

async fn show_step(visit: &Visit, draft: Campaign, form: Form) -> Shown {
    let forecast = match Forecast::of(visit, draft.id).await {
        Ok(forecast) => forecast,
        Err(Error::Invalid(_)) => return Ok(to_text(visit, draft.id)),
        Err(error) => return Err(error.into()),
    };
    let page = TimePage {
        frame: visit.frame(Place::Campaigns).refused(form.has_faults()),
        f: visit.formats(),
        form,
        steps: steps(Some(&draft), Step::Time),
        starts: choices(),
        forecast,
        back: address(draft.id, ""),
        name: draft.name,
        hint: hint(visit),
        may_send: visit.may(Permission::RunCampaigns),
    };
    visit.answer(&page, page.form.has_faults())
}

pub(super) async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::RunCampaigns)?;
    let id = id_of(&path)?;
    let campaign = visit.api().campaigns.get(&visit.caller, id).await?.campaign;
    let form = form_of(&visit, campaign.scheduled_at);
    show_move(&visit, campaign, form)
}

pub(super) async fn reschedule(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    visit.caller.authorize(Permission::RunCampaigns)?;
    let id = id_of(&path)?;
    let moved = match start(&posted, &visit) {
        // A time that has passed when it is read means now.
        Ok(at) => move_to(&visit, id, at.or_else(|| Some(visit.api().clock.now()))).await,
        Err(faults) => Err(faults.into()),
    };
    let refusal = match moved {
        Ok(()) => return Ok(visit.done(&address(id, ""), "The time is moved.")),
        Err(refusal) => refusal,
    };
    let form = posted.form(LABELS).refused(refusal)?;
    let campaign = visit.api().campaigns.get(&visit.caller, id).await?.campaign;
    show_move(&visit, campaign, form)
}

fn show_move(visit: &Visit, campaign: Campaign, form: Form) -> Shown {
    let back = address(campaign.id, "");
    if campaign.status != CampaignStatus::Scheduled {
        let notice = Notice::bad("Only a campaign that is scheduled can be moved.");
        return Ok(visit.go(&back, Some(notice)));
    }
    let page = MovePage {
        frame: visit.frame(Place::Campaigns).refused(form.has_faults()),
        form,
        starts: choices(),
        name: campaign.name,
        back,
        hint: hint(visit),
    };
    visit.answer(&page, page.form.has_faults())
}

async fn move_to(visit: &Visit, id: CampaignId, at: Option<DateTime<Utc>>) -> Result<(), Error> {
    let update = CampaignUpdate { scheduled_at: Change::Set(at), ..CampaignUpdate::default() };
    let moved = visit.api().campaigns.update(&visit.caller, id, update, Faults::default());
    moved.await.map(drop)
}

fn choices() -> Vec<Choice> {
    vec![Choice::new(NOW, "Now"), Choice::new(LATER, "At a time")]
}

fn hint(visit: &Visit) -> String {
    format!("Only for a start at a time, in {}.", visit.formats().zone())
}

fn form_of(visit: &Visit, later: Option<DateTime<Utc>>) -> Form {
    let time = later.map(|at| visit.formats().field_time(at)).unwrap_or_default();
    Form::new(LABELS).with(WHEN, later.map_or(NOW, |_| LATER)).with(TIME, time)
}

fn start(posted: &Posted, visit: &Visit) -> Result<Option<DateTime<Utc>>, Faults> {
    let now = visit.api().clock.now();
    start_at(posted.raw(WHEN), posted.raw(TIME), (visit.formats(), now))
}

/// Returns the time at which to start, `None` for now. `text` is a time in the zone of the organization.
fn start_at(
    when: &str,
    text: &str,
    (f, now): (Formats, DateTime<Utc>),
) -> Result<Option<DateTime<Utc>>, Faults> {
    match when {
        NOW => Ok(None),
        LATER => match f.parse_time(text) {
            Some(at) if at > now => Ok(Some(at)),
            Some(_) => Err(Faults::field(TIME, "has passed already")),
            None => Err(Faults::field(TIME, "must be a day and a time")),
        },
        _ => Err(Faults::field(WHEN, "must be chosen")),
    }
}

#[cfg(test)]
mod tests {
    use domain::shared::country::Country;

    use super::*;

    fn start_in(zone: &str, when: &str, text: &str) -> Result<Option<String>, Vec<String>> {
        let now = "2026-11-26T12:00:00Z".parse().unwrap();
        let f = Formats::new(zone, Country::GH, now);
        let time = start_at(when, text, (f, now)).map(|at| at.map(|at| at.to_rfc3339()));
        time.map_err(|faults| faults.fields.into_keys().collect())
    }

    #[test]
    fn a_time_is_read_in_the_zone_of_the_organization() {
        let at = |zone| start_in(zone, LATER, "2026-11-26T13:30");
        assert_eq!(at("Africa/Accra"), Ok(Some("2026-11-26T13:30:00+00:00".to_owned())));
        assert_eq!(at("Africa/Lagos"), Ok(Some("2026-11-26T12:30:00+00:00".to_owned())));
        assert_eq!(at("Africa/Nairobi"), Err(vec![TIME.to_owned()]), "it has passed there");
    }

    #[test]
    fn only_a_start_at_a_time_needs_one() {
        assert_eq!(start_in("Africa/Accra", NOW, "tomorrow"), Ok(None));
        for (when, field) in [(LATER, TIME), ("", WHEN)] {
            assert_eq!(start_in("Africa/Accra", when, ""), Err(vec![field.to_owned()]));
        }
    }
}
