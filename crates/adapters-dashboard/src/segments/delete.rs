//! `/app/segments/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::{audience::segment::Segment, identity::permission::Permission, shared::id::Id};
use usecases::Error;

use super::{LIST, address, contacts, id_of};
use crate::frame::{
    failure::{Failure, Shown},
    form::Form,
    navigation::Place,
    page::Frame,
    posted::Posted,
    routes::{Route, get, post},
    visit::Visit,
};

const PATH: &str = "/app/segments/{id}/delete";

/// Page that asks once.
#[derive(Template)]
#[template(path = "segments/delete.html")]
struct DeletePage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
    contacts: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, ask), post(PATH, delete)]
}

async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience).map_err(Error::from)?;
    let page = page(&visit, id_of(&id)?, Form::default()).await?;
    visit.show(&page)
}

async fn delete(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    match visit.api().segments.delete(&visit.caller, id).await {
        Ok(()) => Ok(visit.done(LIST, "The segment is deleted. Its contacts are kept.")),
        Err(refusal) => {
            let form = posted.form(&[]).refused(refusal)?;
            visit.show_refused(&page(&visit, id, form).await?)
        }
    }
}

async fn page(visit: &Visit, id: Id<Segment>, form: Form) -> Result<DeletePage, Failure> {
    let (counted, _) = visit.api().segments.get(&visit.caller, id).await?;
    Ok(DeletePage {
        frame: visit.frame(Place::Segments).refused(form.has_faults()),
        form,
        href: address(id),
        name: counted.segment.name,
        contacts: contacts(&visit.formats().count(counted.contacts)),
    })
}
