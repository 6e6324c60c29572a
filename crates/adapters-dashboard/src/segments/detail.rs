//! `/app/segments/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::{audience::contact::Contact, identity::permission::Permission, shared::id::Id};

use super::{
    address, contacts,
    person::Person,
    rule_text::{self, RuleText, RuleWriter},
};
use crate::formats::Moment;
use crate::frame::{Failure, Frame, Pages, Place, Query, Shown, Visit, capitalized, id_of};

const PER_PAGE: u32 = 25;

#[derive(Template)]
#[template(path = "segments/detail.html")]
struct DetailPage {
    frame: Frame,
    href: String,
    /// Page on which a campaign for the segment is made.
    campaign: String,
    name: String,
    description: Option<String>,
    is_fixed: bool,
    rules: RuleText,
    warnings: Vec<String>,
    contacts: String,
    counted: Moment,
    created: Moment,
    people: Vec<Person>,
    pages: Pages,
    is_first: bool,
    may_write: bool,
}

pub(super) async fn show(visit: Visit, id: Path<String>, query: Query) -> Shown {
    let id = id_of(&id)?;
    let after = match query.get("after") {
        Some(after) => Some(after.parse::<Id<Contact>>().map_err(|_| Failure::UnknownPage)?),
        None => None,
    };
    let (counted, warnings) = visit.api().segments.get(&visit.caller, id).await?;
    let part = visit.api().contacts.members(&visit.caller, id, after, PER_PAGE).await?;
    let next = part.next.map(|next| next.to_string());
    let (f, segment) = (visit.formats(), counted.segment);
    let names = rule_text::names(&visit, segment.rules.campaigns()).await?;
    visit.show(&DetailPage {
        frame: visit.frame(Place::Segments),
        href: address(id),
        campaign: format!("/app/campaigns/new?segment={id}"),
        rules: RuleText::new(&segment.rules, &RuleWriter::new(f, names)),
        name: segment.name,
        description: segment.description,
        is_fixed: !segment.is_dynamic,
        warnings: warnings.iter().map(|warning| capitalized(warning)).collect(),
        contacts: contacts(&f.count(counted.contacts)),
        counted: f.distance(counted.counted_at),
        created: f.time(segment.created_at),
        people: part.contacts.iter().map(|details| Person::new(&details.contact, &f)).collect(),
        pages: Pages::by_cursor(&address(id), &query, next.as_deref()),
        is_first: after.is_none(),
        may_write: visit.may(Permission::WriteAudience),
    })
}
