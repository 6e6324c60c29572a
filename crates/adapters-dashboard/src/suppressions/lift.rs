//! `/app/suppressions/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::audience::suppression::{Suppression, SuppressionSource};
use domain::identity::permission::Permission;

use super::{LIST, entry::Entry};
use crate::frame::{Form, Frame, Labels, Place, Posted, Shown, Visit, id_of};

const AGREED: &str = "agreed";
const LABELS: Labels = &[(AGREED, "Wish of the person")];

#[derive(Template)]
#[template(path = "suppressions/lift.html")]
struct LiftPage {
    frame: Frame,
    form: Form,
    entry: Entry,
    /// True if the person has to have asked for it.
    needs_wish: bool,
    /// True if the person can lift it by a message.
    is_lifted_by_start: bool,
}

pub(super) async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions)?;
    let entry = visit.api().suppressions.get(&visit.caller, id_of(&id)?).await?;
    page(&visit, &entry, Form::new(LABELS))
}

pub(super) async fn lift(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let (id, suppressions) = (id_of(&id)?, &visit.api().suppressions);
    let entry = suppressions.get(&visit.caller, id).await?;
    if needs_wish(entry.source) && !posted.is_set(AGREED) {
        let fault = "Confirm that the person asked you for messages again";
        let form = posted.form(LABELS).with_fault(AGREED, fault);
        return page(&visit, &entry, form);
    }
    suppressions.delete(&visit.caller, id).await?;
    Ok(visit.done(LIST, "The entry is lifted. Other entries of the same person stay."))
}

/// True if an entry is the wish of the person, which only another wish of theirs may end.
fn needs_wish(source: SuppressionSource) -> bool {
    match source {
        SuppressionSource::Manual => false,
        SuppressionSource::Stop
        | SuppressionSource::Complaint
        | SuppressionSource::Unsubscribe
        | SuppressionSource::Vendor => true,
    }
}

fn page(visit: &Visit, entry: &Suppression, form: Form) -> Shown {
    let page = LiftPage {
        frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
        form,
        needs_wish: needs_wish(entry.source),
        is_lifted_by_start: entry.source.is_lifted_by_start(),
        entry: Entry::new(entry, &visit.formats()),
    };
    visit.answer(&page, page.form.has_faults())
}
