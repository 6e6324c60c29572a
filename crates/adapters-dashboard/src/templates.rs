//! Templates: prepared texts with placeholders.

mod changes;
mod delete;
mod editor;
mod fields;
mod list;
mod preview;
mod versions;

use domain::{content::template::Template, shared::id::Id};

use crate::frame::{failure::Failure, routes::Route};

const PATH: &str = "/app/templates";

/// Returns the routes of these pages.
pub(crate) fn routes() -> Vec<Route> {
    [list::routes(), editor::routes(), versions::routes(), delete::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the address of a page of a template. `page` is empty, or begins with a slash.
pub(crate) fn address(id: Id<Template>, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}

/// Returns at most that many characters of a text.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns subject and text as checks read them: the subject is a line before the text.
fn written(subject: Option<&str>, body: &str) -> String {
    match subject {
        Some(subject) => format!("{subject}\n{body}"),
        None => body.to_owned(),
    }
}

/// Returns the template that an address names.
fn id_of(text: &str) -> Result<Id<Template>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}
