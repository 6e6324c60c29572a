//! `/app/suppressions/import`

use actix_web::HttpRequest;
use actix_web::web::{Path, Payload};
use askama::Template;
use domain::audience::import::{Import, ImportKind};
use domain::identity::permission::Permission;
use usecases::{Error, audience::imports::FileRequest};

use super::LIST;
use crate::contacts::{
    earlier_imports::EarlierImport,
    import_result::{self, Subject},
    upload,
};
use crate::frame::{Failure, Form, Frame, Labels, Place, Query, Shown, Visit};

pub(super) const PATH: &str = "/app/suppressions/import";
const KIND: ImportKind = ImportKind::Suppressions;
const LABELS: Labels = &[("file", "File")];
/// Pages of imports of entries.
const ENTRIES: Subject =
    Subject { kind: KIND, place: Place::Suppressions, path: PATH, list: LIST, noun: "entries" };

#[derive(Template)]
#[template(path = "suppressions/import.html")]
struct ImportPage {
    frame: Frame,
    form: Form,
    earlier: Vec<EarlierImport>,
}

pub(super) async fn show(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteSuppressions)?;
    page(&visit, Form::new(LABELS)).await
}

pub(super) async fn take(request: HttpRequest, visit: Visit, body: Payload) -> Shown {
    match import(&request, &visit, body).await? {
        Ok(import) => Ok(visit.go(&format!("{PATH}/{}", import.id), None)),
        Err(refusal) => page(&visit, Form::new(LABELS).refused(refusal)?).await,
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

pub(super) async fn result(visit: Visit, id: Path<String>, query: Query) -> Shown {
    import_result::show(&ENTRIES, &visit, &id, &query).await
}

pub(super) async fn errors(visit: Visit, id: Path<String>) -> Shown {
    import_result::errors(&ENTRIES, &visit, &id).await
}

async fn page(visit: &Visit, form: Form) -> Shown {
    let page = ImportPage {
        frame: visit.frame(Place::Suppressions).refused(form.has_faults()),
        form,
        earlier: EarlierImport::newest(visit, &ENTRIES).await?,
    };
    visit.answer(&page, page.form.has_faults())
}
