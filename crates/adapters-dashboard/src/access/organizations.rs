//! `/app/organizations`: the choice among the organizations of a user.

use askama::Template;
use domain::identity::organization::{Membership, Organization};
use domain::shared::id::Id;

use super::HOME;
use crate::frame::{Bare, Failure, Person, Posted, Shown};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "access/organizations.html")]
struct OrganizationsPage {
    frame: Bare,
    rows: Vec<Row>,
}

struct Row {
    id: String,
    name: String,
    role: &'static str,
    is_closed: bool,
}

impl From<Membership> for Row {
    fn from(membership: Membership) -> Self {
        Self {
            id: membership.organization.to_string(),
            name: membership.name,
            role: membership.role.words().label,
            is_closed: membership.closed_at.is_some(),
        }
    }
}

pub(super) async fn show(person: Person) -> Shown {
    person.session.own_claims()?;
    let rows = person.memberships().await?.into_iter().map(Row::from).collect();
    person.show(&OrganizationsPage { frame: person.frame(false), rows }, false)
}

pub(super) async fn enter(person: Person, posted: Posted) -> Shown {
    let id: Option<Id<Organization>> =
        posted.text("organization").and_then(|text| text.parse().ok());
    let memberships = person.memberships().await?;
    let chosen = memberships.into_iter().find(|membership| Some(membership.organization) == id);
    let chosen = chosen.ok_or(Failure::UnknownPage)?;
    Ok(person.enter(chosen.organization, HOME, None))
}
