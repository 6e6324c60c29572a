//! `/app/segments/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::{audience::segment::Segment, identity::permission::Permission, shared::id::Id};

use super::{LIST, address, contacts};
use crate::frame::{Form, Frame, Place, Posted, Shown, Visit, id_of};

#[derive(Template)]
#[template(path = "segments/delete.html")]
struct DeletePage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
    contacts: String,
}

pub(super) async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    page(&visit, id_of(&id)?, Form::default()).await
}

pub(super) async fn delete(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    match visit.api().segments.delete(&visit.caller, id).await {
        Ok(()) => Ok(visit.done(LIST, "The segment is deleted. Its contacts are kept.")),
        Err(refusal) => page(&visit, id, posted.form(&[]).refused(refusal)?).await,
    }
}

async fn page(visit: &Visit, id: Id<Segment>, form: Form) -> Shown {
    let (counted, _) = visit.api().segments.get(&visit.caller, id).await?;
    let page = DeletePage {
        frame: visit.frame(Place::Segments).refused(form.has_faults()),
        form,
        href: address(id),
        name: counted.segment.name,
        contacts: contacts(&visit.formats().count(counted.contacts)),
    };
    visit.answer(&page, page.form.has_faults())
}
