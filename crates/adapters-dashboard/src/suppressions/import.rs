//! `/app/suppressions/import`

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
use usecases::{Error, audience::imports::FileRequest};

use super::LIST;
use crate::{
    contacts::{
        import_result::{self, Subject},
        upload,
    },
    formats::{Formats, Moment},
    frame::{
        failure::{Failure, Shown},
        form::{Form, Labels},
        navigation::Place,
        page::Frame,
        query::Query,
        routes::{Route, get, post},
        visit::Visit,
    },
    words::{InWords, Words},
};

const PATH: &str = "/app/suppressions/import";
const KIND: ImportKind = ImportKind::Suppressions;
const LABELS: Labels = &[("file", "File")];
/// Number of earlier imports on the page.
const EARLIER: i64 = 10;
/// Pages of imports of entries.
const ENTRIES: Subject =
    Subject { kind: KIND, place: Place::Suppressions, path: PATH, list: LIST, noun: "entries" };

/// Page with the form for a file.
#[derive(Template)]
#[template(path = "suppressions/import.html")]
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
    failed: String,
    at: Moment,
}

impl Row {
    fn new(import: Import, f: &Formats) -> Self {
        Self {
            href: format!("{PATH}/{}", import.id),
            file: import.file_name,
            status: import.status.words(),
            rows: f.count(import.total_rows),
            failed: f.count(import.failed),
            at: f.time(import.created_at),
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(PATH, show),
        post(PATH, take),
        get("/app/suppressions/import/{id}", result),
        get("/app/suppressions/import/{id}/errors", errors),
    ]
}

async fn show(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions).map_err(Error::from)?;
    let page = page(&visit, Form::new(LABELS)).await?;
    visit.show(&page)
}

async fn take(request: HttpRequest, visit: Visit, body: Payload) -> Shown {
    match import(&request, &visit, body).await? {
        Ok(import) => Ok(visit.go(&format!("{PATH}/{}", import.id), None)),
        Err(refusal) => {
            let form = Form::new(LABELS).refused(refusal)?;
            visit.show_refused(&page(&visit, form).await?)
        }
    }
}

/// Imports the file of a form. The inner error is a refusal of the file.
async fn import(
    request: &HttpRequest,
    visit: &Visit,
    body: Payload,
) -> Result<Result<Import, Error>, Failure> {
    let file = match upload::hold(request, visit, KIND, body).await? {
        Ok(file) => file,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let imports = &visit.api().imports;
    let imported = imports.import_held(&visit.caller, KIND, file, FileRequest::default()).await;
    if imported.is_err() {
        imports.release(&visit.caller, KIND, file).await?;
    }
    Ok(imported)
}

async fn result(visit: Visit, id: Path<String>, query: Query) -> Shown {
    import_result::show(&ENTRIES, &visit, &id, &query).await
}

async fn errors(visit: Visit, id: Path<String>) -> Shown {
    import_result::errors(&ENTRIES, &visit, &id).await
}

async fn page(visit: &Visit, form: Form) -> Result<ImportPage, Error> {
    let newest = Page::new(None, Some(EARLIER))?;
    let earlier = visit.api().imports.page(&visit.caller, KIND, newest).await?;
    let f = visit.formats();
    Ok(ImportPage {
        frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
        form,
        earlier: earlier.items.into_iter().map(|import| Row::new(import, &f)).collect(),
    })
}
