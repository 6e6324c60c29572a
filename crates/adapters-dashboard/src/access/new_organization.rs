//! `/app/organizations/new`

use askama::Template;
use domain::{
    identity::organization::Organization,
    shared::{fault::Faults, id::Id},
};
use usecases::Error;

use super::HOME;
use crate::frame::{
    failure::{Failure, Shown, capitalized},
    form::{Form, Labels},
    guest::Person,
    notice::Notice,
    once,
    page::Bare,
    posted::Posted,
    routes::{Route, get, post},
};

const PATH: &str = "/app/organizations/new";
const LABELS: Labels = &[("name", "Organization")];

/// Page with the form.
#[derive(Template)]
#[template(path = "access/new_organization.html")]
struct NewOrganizationPage {
    frame: Bare,
    form: Form,
    /// True if the user belongs to one already.
    has_others: bool,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, show), post(PATH, create)]
}

async fn show(person: Person) -> Shown {
    let form = Form::new(LABELS);
    page(&person, form, false).await
}

async fn create(person: Person, posted: Posted) -> Shown {
    let created = once::once_of(&person, &posted, async {
        person.session.own_claims()?;
        let (auth, name) = (&person.api().auth, posted.text("name"));
        let made = auth.create_organization(person.user(), name, Faults::default()).await?;
        Ok(made.id.to_string())
    });
    let refusal = match created.await {
        Ok(id) => {
            let id: Id<Organization> = id.parse().map_err(|_| Failure::UnknownPage)?;
            return Ok(person.enter(id, HOME, Some(Notice::done("The organization is ready."))));
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
