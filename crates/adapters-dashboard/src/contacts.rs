//! Contacts: people that the organization writes to, and files of them.

mod check;
mod detail;
mod edit;
mod erase;
mod fields;
mod import;
pub(crate) mod import_result;
mod list;
mod undo;
pub(crate) mod upload;

use domain::{audience::contact::Contact, shared::id::Id};

use crate::frame::{failure::Failure, routes::Route};

/// Address of the list.
const LIST: &str = "/app/contacts";
/// Address at which files are uploaded.
const IMPORT: &str = "/app/contacts/import";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [
        list::routes(),
        edit::routes(),
        import::routes(),
        check::routes(),
        undo::routes(),
        detail::routes(),
        erase::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the address of a contact.
fn address(id: Id<Contact>) -> String {
    format!("{LIST}/{id}")
}

/// Returns an identifier of an address. Another text names no page.
fn id_of<T>(text: &str) -> Result<Id<T>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}

/// Returns the first and the last name; `None` if the contact has neither.
fn name_of(contact: &Contact) -> Option<String> {
    let names: Vec<&str> = [&contact.first_name, &contact.last_name]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    (!names.is_empty()).then(|| names.join(" "))
}
