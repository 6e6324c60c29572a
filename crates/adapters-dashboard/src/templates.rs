//! Templates: prepared texts with placeholders.

mod changes;
mod delete;
mod editor;
mod fields;
mod list;
mod preview;
mod versions;

use domain::{content::template::Template, shared::id::Id};

pub(crate) use self::{
    changes::{Change, change},
    preview::{Finding, finding},
};
use crate::frame::{Route, get, post};

const PATH: &str = "/app/templates";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        get(PATH, list::list),
        get(editor::NEW, editor::write_new),
        post(editor::NEW, editor::create),
        post("/app/templates/new/preview", editor::preview_new),
        get("/app/templates/{id}", editor::show),
        post("/app/templates/{id}", editor::save),
        post("/app/templates/{id}/preview", editor::preview),
        get("/app/templates/{id}/versions", versions::show),
        get("/app/templates/{id}/delete", delete::ask),
        post("/app/templates/{id}/delete", delete::delete),
    ]
}

/// Returns the address of a page of a template. `page` is empty, or begins with a slash.
pub(crate) fn address(id: Id<Template>, page: &str) -> String {
    format!("{PATH}/{id}{page}")
}

/// Returns subject and text as checks read them: the subject is a line before the text.
pub(crate) fn written(subject: Option<&str>, body: &str) -> String {
    match subject {
        Some(subject) => format!("{subject}\n{body}"),
        None => body.to_owned(),
    }
}
