//! `/app/contacts/import`: upload of a file, and earlier imports.

use actix_web::{
    HttpRequest,
    web::{Path, Payload},
};
use askama::Template;
use domain::{
    audience::import::{Import, ImportKind},
    identity::permission::Permission,
    shared::page::Page,
};
use usecases::Error;

use super::{
    IMPORT, LIST,
    import_result::{self, Subject},
    upload,
};
use crate::{
    formats::{Formats, Moment},
    frame::{
        failure::Shown,
        form::{Form, Labels},
        navigation::Place,
        page::Frame,
        query::Query,
        routes::{Route, get, post},
        visit::Visit,
    },
    words::{InWords, Words},
};

const LABELS: Labels = &[("file", "File")];
/// Number of earlier imports on the page.
const EARLIER: i64 = 10;
/// Pages of imports of contacts.
const CONTACTS: Subject = Subject {
    kind: ImportKind::Contacts,
    place: Place::Contacts,
    path: IMPORT,
    list: LIST,
    noun: "contacts",
};

/// Page with the form for a file.
#[derive(Template)]
#[template(path = "contacts/import.html")]
struct ImportPage {
    frame: Frame,
    form: Form,
    earlier: Vec<Row>,
}

/// Earlier import.
struct Row {
    href: String,
    file: Option<String>,
    status: Words,
    rows: String,
    failed: u32,
    failed_text: String,
    at: Moment,
}

impl Row {
    fn new(import: Import, f: &Formats) -> Self {
        let undone = import.undo_status.map(InWords::words);
        Self {
            href: format!("{IMPORT}/{}", import.id),
            file: import.file_name,
            status: undone.unwrap_or_else(|| import.status.words()),
            rows: f.count(import.total_rows),
            failed: import.failed,
            failed_text: f.count(import.failed),
            at: f.time(import.created_at),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(IMPORT, show),
        post(IMPORT, take),
        get("/app/contacts/import/{id}", result),
        get("/app/contacts/import/{id}/errors", errors),
    ]
}

async fn show(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteAudience).map_err(Error::from)?;
    let page = page(&visit, Form::new(LABELS), false).await?;
    visit.show(&page)
}

async fn take(request: HttpRequest, visit: Visit, body: Payload) -> Shown {
    match upload::hold(&request, &visit, ImportKind::Contacts, body).await? {
        Ok(file) => Ok(visit.go(&format!("{IMPORT}/check/{file}"), None)),
        Err(refusal) => {
            let form = Form::new(LABELS).refused(refusal)?;
            visit.show_refused(&page(&visit, form, true).await?)
        }
    }
}

async fn result(visit: Visit, id: Path<String>, query: Query) -> Shown {
    import_result::show(&CONTACTS, &visit, &id, &query).await
}

async fn errors(visit: Visit, id: Path<String>) -> Shown {
    import_result::errors(&CONTACTS, &visit, &id).await
}

async fn page(visit: &Visit, form: Form, is_refused: bool) -> Result<ImportPage, Error> {
    let newest = Page::new(None, Some(EARLIER))?;
    let earlier = visit.api().imports.page(&visit.caller, ImportKind::Contacts, newest).await?;
    let f = visit.formats();
    Ok(ImportPage {
        frame: visit.frame(Place::Contacts).refused(is_refused),
        form,
        earlier: earlier.items.into_iter().map(|import| Row::new(import, &f)).collect(),
    })
}
