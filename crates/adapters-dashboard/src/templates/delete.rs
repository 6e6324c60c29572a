//! `/app/templates/{id}/delete`

use actix_web::web::Path;
use domain::{content::template::Template, identity::permission::Permission};
use usecases::Error;

use super::{PATH, address};
use crate::frame::{Form, Frame, Place, Posted, Shown, Visit, id_of};

#[derive(askama::Template)]
#[template(path = "templates/delete.html")]
struct DeletePage {
    frame: Frame,
    form: Form,
    name: String,
    href: String,
    /// Addresses and names of what needs the template.
    uses: Vec<(String, String)>,
}

pub(super) async fn ask(visit: Visit, path: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let (template, _) = visit.api().templates.get(&visit.caller, id_of(&path)?).await?;
    page(&visit, template, Form::default(), Vec::new())
}

pub(super) async fn delete(visit: Visit, posted: Posted, path: Path<String>) -> Shown {
    let templates = &visit.api().templates;
    let (template, _) = templates.get(&visit.caller, id_of(&path)?).await?;
    match templates.delete(&visit.caller, template.id, visit.request_id()?).await {
        Ok(()) => Ok(visit.done(PATH, "The template is deleted.")),
        Err(refusal) => {
            let uses = uses(&refusal);
            page(&visit, template, posted.form(&[]).refused(refusal)?, uses)
        }
    }
}

fn page(visit: &Visit, template: Template, form: Form, uses: Vec<(String, String)>) -> Shown {
    let page = DeletePage {
        frame: visit.frame(Place::Templates).refused(form.has_faults()),
        form,
        name: template.name,
        href: address(template.id, ""),
        uses,
    };
    visit.answer(&page, page.form.has_faults())
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
