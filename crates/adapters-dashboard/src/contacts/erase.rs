//! `/app/contacts/{id}/delete`

use actix_web::web::Path;
use askama::Template;
use domain::{audience::contact::Contact, identity::permission::Permission};

use super::{LIST, address, id_of, name_of};
use crate::frame::{
    failure::Shown,
    navigation::Place,
    page::Frame,
    posted::Posted,
    routes::{Route, get, post},
    visit::Visit,
};

const PATH: &str = "/app/contacts/{id}/delete";

/// Page that asks once.
#[derive(Template)]
#[template(path = "contacts/erase.html")]
struct ErasePage {
    frame: Frame,
    href: String,
    name: Option<String>,
    addresses: Vec<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![get(PATH, ask), post(PATH, erase)]
}

async fn ask(visit: Visit, id: Path<String>) -> Shown {
    visit.caller.authorize(Permission::WriteAudience).map_err(usecases::Error::from)?;
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

async fn erase(visit: Visit, id: Path<String>, _: Posted) -> Shown {
    visit.api().contacts.delete(&visit.caller, id_of(&id)?).await?;
    let done =
        "The contact is deleted. What was sent to this person is erased within some minutes.";
    Ok(visit.done(LIST, done))
}
