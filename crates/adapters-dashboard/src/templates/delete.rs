//! `/app/templates/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::identity::permission::Permission;
use usecases::Error;

use super::{PATH, address, id_of};
use crate::frame::{
    failure::Shown,
    form::{Form, Labels},
    navigation::Place,
    page::Frame,
    posted::Posted,
    routes::{Route, get, post},
    visit::Visit,
};

const DELETE: &str = "/app/templates/{id}/delete";
const LABELS: Labels = &[];

/// Page that asks if a template is to be deleted.
#[derive(Template)]
#[template(path = "templates/delete.html")]
struct DeletePage {
    frame: Frame,
    form: Form,
    name: String,
    href: String,
    /// Addresses and names of what needs the template.
    uses: Vec<(String, String)>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(DELETE, ask), post(DELETE, delete)]
}

async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience).map_err(Error::from)?;
    let id = id_of(&path)?;
    let (template, _) = visit.api().templates.get(&visit.caller, id).await?;
    visit.show(&DeletePage {
        frame: visit.frame(Place::Templates),
        form: Form::new(LABELS),
        name: template.name,
        href: address(id, ""),
        uses: Vec::new(),
    })
}

async fn delete(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let templates = &visit.api().templates;
    let (template, _) = templates.get(&visit.caller, id).await?;
    let refusal = match templates.delete(&visit.caller, id, visit.request_id()?).await {
        Ok(()) => return Ok(visit.done(PATH, "The template is deleted.")),
        Err(refusal) => refusal,
    };
    let uses = uses(&refusal);
    visit.show_refused(&DeletePage {
        frame: visit.frame(Place::Templates).refused(true),
        form: posted.form(LABELS).refused(refusal)?,
        name: template.name,
        href: address(id, ""),
        uses,
    })
}

/// Returns the addresses and names of what a refusal is about.
fn uses(refusal: &Error) -> Vec<(String, String)> {
    let named = refusal.reason().into_iter().flat_map(|reason| &reason.named);
    named
        .flat_map(|(kind, things)| {
            things.iter().map(move |it| (format!("/app/{kind}/{}", it.id), it.name.clone()))
        })
        .collect()
}
