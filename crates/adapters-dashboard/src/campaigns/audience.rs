//! `/app/campaigns/new` and `/app/campaigns/{id}/audience`: the first step.

use actix_web::web::Path;
use askama::Template;
use domain::{
    identity::permission::Permission,
    outreach::campaign::{Campaign, CampaignRequest, CampaignUpdate},
    shared::{change::Change, channel::Channel, fault::Faults, page::Page},
};

use super::wizard::{ShownStep, Step, draft, steps};
use super::{PATH, address};
use crate::frame::{
    Choice, Failure, Form, Frame, Labels, Place, Posted, Query, Shown, Visit, id_of, once,
};

pub(super) const NEW: &str = "/app/campaigns/new";
const NAME: &str = "name";
const SEGMENT: &str = "segmentId";
const REHEARSAL: &str = "isSandbox";
const LABELS: Labels = &[(NAME, "Name"), (SEGMENT, "Audience"), (REHEARSAL, "Rehearsal")];

#[derive(Template)]
#[template(path = "campaigns/audience.html")]
struct AudiencePage {
    frame: Frame,
    form: Form,
    steps: Vec<ShownStep>,
    segments: Vec<Choice>,
    action: String,
    back: String,
    is_new: bool,
}

pub(super) async fn show_new(visit: Visit, query: Query) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let form = Form::new(LABELS).with(SEGMENT, query.get("segment").unwrap_or_default());
    page(&visit, None, form).await
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let request = CampaignRequest {
        name: posted.text(NAME),
        // The next step asks for it.
        channel: Some(Channel::Sms),
        segment: posted.parsed(SEGMENT, &mut faults),
        is_sandbox: Some(posted.is_set(REHEARSAL)),
        ..CampaignRequest::default()
    };
    let created = once(&visit, &posted, async {
        let created = visit.api().campaigns.create(&visit.caller, request, faults).await?;
        Ok(address(created.campaign.id, Step::Text.page()))
    });
    match created.await {
        Ok(next) => Ok(visit.go(&next, None)),
        Err(refusal) => page(&visit, None, posted.form(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let segment = draft.segment.map(|id| id.to_string()).unwrap_or_default();
    let form = Form::new(LABELS).with(NAME, draft.name.as_str()).with(SEGMENT, segment);
    page(&visit, Some(&draft), form).await
}

pub(super) async fn save(visit: Visit, path: Path<String>, posted: Posted) -> Shown {
    let draft = draft(&visit, id_of(&path)?).await?;
    let mut faults = Faults::default();
    let update = CampaignUpdate {
        name: Some(posted.text(NAME).unwrap_or_default()),
        segment: Change::Set(posted.parsed(SEGMENT, &mut faults)),
        ..CampaignUpdate::default()
    };
    match visit.api().campaigns.update(&visit.caller, draft.id, update, faults).await {
        Ok(saved) => Ok(visit.go(&address(saved.campaign.id, Step::Text.page()), None)),
        Err(refusal) => page(&visit, Some(&draft), posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn page(visit: &Visit, draft: Option<&Campaign>, form: Form) -> Shown {
    let page = AudiencePage {
        frame: visit.frame(Place::Campaigns).refused(form.has_faults()),
        steps: steps(draft, Step::Audience),
        segments: segments(visit).await?,
        action: draft.map_or_else(|| NEW.to_owned(), |it| address(it.id, Step::Audience.page())),
        back: draft.map_or_else(|| PATH.to_owned(), |it| address(it.id, "")),
        is_new: draft.is_none(),
        form,
    };
    visit.answer(&page, page.form.has_faults())
}

/// Returns the choices of an audience, with the numbers of contacts.
async fn segments(visit: &Visit) -> Result<Vec<Choice>, Failure> {
    let page = Page::of_short_list(None, None)?;
    let found = visit.api().segments.page(&visit.caller, page).await?;
    let f = visit.formats();
    let named = found.items.into_iter().map(|it| {
        let label = format!("{} ({})", it.segment.name, f.count(it.contacts));
        Choice::new(it.segment.id.to_string(), label)
    });
    Ok(Choice::after("All contacts", named))
}
