//! Contacts: people that the organization writes to, and files of them.

mod check;
mod detail;
pub(crate) mod earlier_imports;
mod edit;
mod erase;
mod fields;
mod import;
pub(crate) mod import_result;
mod list;
mod undo;
pub(crate) mod upload;

use domain::{audience::contact::Contact, shared::id::Id};

use crate::frame::{Route, get, post};

const LIST: &str = "/app/contacts";
const IMPORT: &str = "/app/contacts/import";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(LIST, list::show),
        get(edit::NEW, edit::offer),
        post(edit::NEW, edit::create),
        get("/app/contacts/{id}/edit", edit::show),
        post("/app/contacts/{id}/edit", edit::save),
        get(IMPORT, import::show),
        post(IMPORT, import::take),
        get("/app/contacts/import/{id}", import::result),
        get("/app/contacts/import/{id}/errors", import::errors),
        get("/app/contacts/import/check/{id}", check::show),
        post("/app/contacts/import/check/{id}", check::import),
        post("/app/contacts/import/check/{id}/preview", check::preview),
        get("/app/contacts/import/{id}/undo", undo::ask),
        post("/app/contacts/import/{id}/undo", undo::undo),
        get("/app/contacts/{id}", detail::show),
        get("/app/contacts/{id}/delete", erase::ask),
        post("/app/contacts/{id}/delete", erase::erase),
    ]
}

fn address(id: Id<Contact>) -> String {
    format!("{LIST}/{id}")
}

/// Returns the first and the last name; `None` if the contact has neither.
pub(crate) fn name_of(contact: &Contact) -> Option<String> {
    let names = [&contact.first_name, &contact.last_name].into_iter().flatten();
    let names: Vec<&str> = names.map(String::as_str).collect();
    (!names.is_empty()).then(|| names.join(" "))
}
