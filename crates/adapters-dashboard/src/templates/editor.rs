//! `/app/templates/new` and `/app/templates/{id}`

use std::collections::BTreeMap;

use actix_web::web::Path;
use domain::content::template::{Template, TemplateChannel, TemplateUpdate};
use domain::identity::permission::Permission;
use domain::shared::category::Category;
use domain::shared::fault::Faults;
use usecases::Error;

use super::{
    address,
    fields::{self, LABELS},
    preview::Preview,
};
use crate::frame::{Choice, Failure, Form, Frame, Place, Posted, Query, Shown, Visit, id_of, once};
use crate::words::{InWords, Words};

pub(super) const NEW: &str = "/app/templates/new";
/// Name of a draft that has none yet, so that it can be shown.
const UNNAMED: &str = "Template";

#[derive(askama::Template)]
#[template(path = "templates/editor.html")]
struct EditorPage {
    frame: Frame,
    form: Form,
    /// Address to which the form is sent. Those of its other pages begin with it.
    action: String,
    is_new: bool,
    state: Option<State>,
    channels: Vec<Choice>,
    categories: Vec<Choice>,
    takes_subject: bool,
    preview: Option<Preview>,
    may_write: bool,
}

/// Stored template, as the page shows it.
struct State {
    id: String,
    name: String,
    channel: &'static str,
    status: Words,
    version: String,
    /// Words of the reviewer.
    comment: Option<String>,
}

pub(super) async fn write_new(visit: Visit, query: Query) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let form = match query.get("from") {
        Some(from) => {
            let template = find(&visit, from).await?;
            fields::of(&template, &format!("Copy of {}", template.name))
        }
        None => fields::blank(),
    };
    visit.show(&EditorPage::of(&visit, None, form))
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    let saved = once(&visit, &posted, async {
        let mut faults = Faults::default();
        let request = fields::request(&posted, &mut faults);
        let template = visit.api().templates.create(&visit.caller, request, faults).await?;
        Ok(address(template.id, ""))
    });
    match saved.await {
        Ok(address) => Ok(visit.done(&address, "The template is saved.")),
        Err(refusal) => refused(&visit, &posted, None, refusal),
    }
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let template = find(&visit, &path).await?;
    let preview = Preview::of(&visit, &template, BTreeMap::new()).await?;
    let form = fields::of(&template, &template.name);
    visit.show(&EditorPage::of(&visit, Some(&template), form).showing(preview))
}

pub(super) async fn save(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let present = find(&visit, &path).await?;
    let mut faults = Faults::default();
    let update = fields::update(&posted, present.content.channel, &mut faults);
    match visit.api().templates.update(&visit.caller, present.id, update, faults).await {
        Ok(_) => Ok(visit.done(&address(present.id, ""), "The template is saved.")),
        Err(refusal) => refused(&visit, &posted, Some(&present), refusal),
    }
}

pub(super) async fn preview_new(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let mut request = fields::request(&posted, &mut faults);
    request.name.get_or_insert_with(|| UNNAMED.to_owned());
    let draft = visit.api().templates.drafted(&visit.caller, request, faults);
    preview_of(&visit, &posted, None, draft).await
}

pub(super) async fn preview(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let present = find(&visit, &path).await?;
    let mut faults = Faults::default();
    let update = fields::update(&posted, present.content.channel, &mut faults);
    let update = TemplateUpdate { name: None, ..update };
    let templates = &visit.api().templates;
    let draft = templates.redrafted(&visit.caller, present.id, update, faults).await;
    preview_of(&visit, &posted, Some(&present), draft).await
}

/// Shows the form again with the preview of a draft.
async fn preview_of(
    visit: &Visit,
    posted: &Posted,
    stored: Option<&Template>,
    draft: Result<Template, Error>,
) -> Shown {
    let preview = match draft {
        Ok(draft) => Preview::of(visit, &draft, fields::values(posted)).await,
        Err(refusal) => Err(refusal),
    };
    match preview {
        Ok(preview) => {
            let page = EditorPage::of(visit, stored, posted.form(LABELS));
            visit.show(&page.showing(preview))
        }
        Err(refusal) => {
            let form = posted.form(LABELS).refused(refusal)?;
            // Browsers report the status of a refusal as an error of the page that shows the answer.
            visit.show(&EditorPage::of(visit, stored, form))
        }
    }
}

fn refused(visit: &Visit, posted: &Posted, stored: Option<&Template>, refusal: Error) -> Shown {
    let form = posted.form(LABELS).refused(refusal)?;
    visit.answer(&EditorPage::of(visit, stored, form), true)
}

async fn find(visit: &Visit, id: &str) -> Result<Template, Failure> {
    let (template, _) = visit.api().templates.get(&visit.caller, id_of(id)?).await?;
    Ok(template)
}

impl EditorPage {
    /// Returns the page of a stored template, or of a new one.
    fn of(visit: &Visit, stored: Option<&Template>, form: Form) -> Self {
        Self {
            frame: visit.frame(Place::Templates).refused(form.has_faults()),
            form,
            action: stored.map_or_else(|| NEW.to_owned(), |template| address(template.id, "")),
            is_new: stored.is_none(),
            state: stored.map(State::of),
            channels: Choice::of_all(TemplateChannel::ALL, TemplateChannel::as_str),
            categories: Choice::of_all(Category::ALL, Category::as_str),
            // The channel of a new one can still be changed.
            takes_subject: stored.is_none_or(|it| fields::takes_subject(it.content.channel)),
            preview: None,
            may_write: visit.may(Permission::WriteAudience),
        }
    }

    fn showing(self, preview: Preview) -> Self {
        Self { preview: Some(preview), ..self }
    }
}

impl State {
    fn of(template: &Template) -> Self {
        Self {
            id: template.id.to_string(),
            name: template.name.clone(),
            channel: template.content.channel.words().label,
            status: template.status.words(),
            version: template.version.to_string(),
            comment: template.comment.clone(),
        }
    }
}
