//! `/app/contacts/new` and `/app/contacts/{id}/edit`

use std::collections::BTreeMap;

use actix_web::web::Path;
use askama::Template;
use domain::{audience::contact::Contact, identity::permission::Permission, shared::id::Id};
use usecases::Error;

use super::{
    address,
    fields::{self, AttributeField, LABELS},
};
use crate::frame::{Form, Frame, Place, Posted, Shown, Visit, id_of, once};

pub(super) const NEW: &str = "/app/contacts/new";

#[derive(Template)]
#[template(path = "contacts/edit.html")]
struct EditPage {
    frame: Frame,
    title: &'static str,
    action: String,
    back: String,
    form: Form,
    attributes: Vec<AttributeField>,
    zone: String,
    /// True if the form makes a contact.
    is_new: bool,
    /// Page of another contact that has the address.
    taken_by: Option<String>,
}

pub(super) async fn offer(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let attributes = fields::of_attributes(&BTreeMap::new());
    visit.show(&page(&visit, None, Form::new(LABELS), attributes))
}

pub(super) async fn create(visit: Visit, posted: Posted) -> Shown {
    let (request, faults) = fields::request(&posted, &visit.formats());
    let created = once(&visit, &posted, async {
        let created = visit.api().contacts.create(&visit.caller, request, faults).await?;
        Ok(address(created.contact.id))
    });
    match created.await {
        Ok(contact) => Ok(visit.done(&contact, "The contact is added.")),
        Err(refusal) => refused(&visit, None, &posted, refusal),
    }
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let id = id_of::<Contact>(&id)?;
    let contact = visit.api().contacts.get(&visit.caller, id).await?.contact;
    let form = fields::filled(&contact, &visit.formats());
    visit.show(&page(&visit, Some(id), form, fields::of_attributes(&contact.attributes)))
}

pub(super) async fn save(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of::<Contact>(&id)?;
    let contacts = &visit.api().contacts;
    let contact = contacts.get(&visit.caller, id).await?.contact;
    let (update, faults) = fields::update(&posted, &contact, &visit.formats());
    match contacts.update(&visit.caller, id, update, faults).await {
        Ok(_) => Ok(visit.done(&address(id), "The contact is saved.")),
        Err(refusal) => refused(&visit, Some(id), &posted, refusal),
    }
}

/// Shows the form again, with the fault at the address that another contact has.
fn refused(visit: &Visit, id: Option<Id<Contact>>, posted: &Posted, refusal: Error) -> Shown {
    let form = posted.form(LABELS);
    let (form, taken_by) = match taken(&refusal) {
        Some((field, contact)) => {
            let known = LABELS.iter().find(|(name, _)| *name == field);
            let (name, label) = known.copied().unwrap_or(("", "Address"));
            let fault = format!("{label} belongs to another contact");
            (form.with_fault(name, fault), Some(address(contact)))
        }
        None => (form.refused(refusal)?, None),
    };
    let attributes = fields::written_attributes(posted);
    let frame = visit.frame(Place::Contacts).refused(true);
    let page = EditPage { frame, taken_by, ..page(visit, id, form, attributes) };
    visit.answer(&page, true)
}

/// Returns the field with an address that another contact has, and that contact.
fn taken(refusal: &Error) -> Option<(String, Id<Contact>)> {
    let reason = refusal.reason().filter(|reason| reason.code == "CONTACT_EXISTS")?;
    let detail = |name| {
        let detail = reason.details.iter().find(|(known, _)| *known == name);
        detail.map(|(_, value)| value.clone())
    };
    Some((detail("field")?, detail("contactId")?.parse().ok()?))
}

fn page(
    visit: &Visit,
    id: Option<Id<Contact>>,
    form: Form,
    attributes: Vec<AttributeField>,
) -> EditPage {
    let (title, action, back) = match id {
        Some(id) => ("Edit a contact", format!("{}/edit", address(id)), address(id)),
        None => ("Add a contact", NEW.to_owned(), super::LIST.to_owned()),
    };
    EditPage {
        frame: visit.frame(Place::Contacts),
        title,
        action,
        back,
        form,
        attributes,
        zone: visit.formats().zone(),
        is_new: id.is_none(),
        taken_by: None,
    }
}
