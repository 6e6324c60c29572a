//! `/app/contacts/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::{audience::contact::Contact, identity::permission::Permission};

use super::{LIST, address, name_of};
use crate::frame::{Frame, Place, Posted, Shown, Visit, id_of};

#[derive(Template)]
#[template(path = "contacts/erase.html")]
struct ErasePage {
    frame: Frame,
    href: String,
    name: Option<String>,
    addresses: Vec<String>,
}

pub(super) async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    let id = id_of::<Contact>(&id)?;
    let f = visit.formats();
    let contact = visit.api().contacts.get(&visit.caller, id).await?.contact;
    let addresses = [&contact.phone, &contact.email].into_iter().flatten();
    visit.show(&ErasePage {
        frame: visit.frame(Place::Contacts),
        href: address(id),
        name: name_of(&contact),
        addresses: addresses.map(|it| f.phone(it.as_str())).collect(),
    })
}

pub(super) async fn erase(visit: Visit, id: Path<String>, _: Posted) -> Shown {
    visit.api().contacts.delete(&visit.caller, id_of(&id)?).await?;
    let done =
        "The contact is deleted. What was sent to this person is erased within some minutes.";
    Ok(visit.done(LIST, done))
}
