//! `/app/suppressions/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::{
    audience::suppression::{Suppression, SuppressionSource},
    identity::permission::Permission,
    shared::id::Id,
};
use usecases::Error;

use super::{LIST, entry::Entry};
use crate::frame::{
    failure::{Failure, Shown},
    form::{Form, Labels},
    navigation::Place,
    page::Frame,
    posted::Posted,
    routes::{Route, get, post},
    visit::Visit,
};

const PATH: &str = "/app/suppressions/{id}/delete";
const AGREED: &str = "agreed";
const LABELS: Labels = &[(AGREED, "Wish of the person")];

/// Page that asks once.
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

impl LiftPage {
    fn new(visit: &Visit, entry: &Suppression, form: Form) -> Self {
        Self {
            frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
            form,
            needs_wish: needs_wish(entry.source),
            is_lifted_by_start: entry.source.is_lifted_by_start(),
            entry: Entry::new(entry, &visit.formats()),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, ask), post(PATH, lift)]
}

async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions).map_err(Error::from)?;
    let entry = visit.api().suppressions.get(&visit.caller, id_of(&id)?).await?;
    visit.show(&LiftPage::new(&visit, &entry, Form::new(LABELS)))
}

async fn lift(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let (id, suppressions) = (id_of(&id)?, &visit.api().suppressions);
    let entry = suppressions.get(&visit.caller, id).await?;
    if needs_wish(entry.source) && !posted.is_set(AGREED) {
        let fault = "Confirm that the person asked you for messages again";
        let form = posted.form(LABELS).with_fault(AGREED, fault);
        return visit.show_refused(&LiftPage::new(&visit, &entry, form));
    }
    suppressions.delete(&visit.caller, id).await?;
    Ok(visit.done(LIST, "The entry is lifted. Other entries of the same person stay."))
}

fn id_of(text: &str) -> Result<Id<Suppression>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
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
