//! `/app/organizations/new`

use askama::Template;
use domain::shared::fault::Faults;
use usecases::Error;

use super::HOME;
use crate::frame::{Bare, Form, Labels, Notice, Person, Posted, Shown, capitalized, id_of, once};

const LABELS: Labels = &[("name", "Organization")];

#[derive(Template)]
#[template(path = "access/new_organization.html")]
struct NewOrganizationPage {
    frame: Bare,
    form: Form,
    /// True if the user belongs to one already.
    has_others: bool,
}

pub(super) async fn show(person: Person) -> Shown {
    person.session.own_claims()?;
    let form = Form::new(LABELS);
    page(&person, form, false).await
}

pub(super) async fn create(person: Person, posted: Posted) -> Shown {
    let created = once::once_of(&person, &posted, async {
        person.session.own_claims()?;
        let (auth, name) = (&person.api().auth, posted.text("name"));
        let made = auth.create_organization(person.user(), name, Faults::default()).await?;
        Ok(made.id.to_string())
    });
    let refusal = match created.await {
        Ok(id) => {
            let ready = Notice::done("The organization is ready.");
            return Ok(person.enter(id_of(&id)?, HOME, Some(ready)));
        }
        Err(refusal) => refusal,
    };
    let form = posted.form(LABELS);
    let form = match refusal {
        Error::Forbidden(reason) => form.with_fault("", capitalized(&reason.to_string())),
        refusal => form.refused(refusal)?,
    };
    page(&person, form, true).await
}

async fn page(person: &Person, form: Form, is_refused: bool) -> Shown {
    let has_others = !person.memberships().await?.is_empty();
    let frame = person.frame(is_refused);
    person.show(&NewOrganizationPage { frame, form, has_others }, is_refused)
}
