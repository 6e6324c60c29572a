//! `/app/contacts/import`: upload of a file, and earlier imports.

use actix_web::HttpRequest;
use actix_web::web::{Path, Payload};
use askama::Template;
use domain::{audience::import::ImportKind, identity::permission::Permission};

use super::{
    IMPORT, LIST,
    earlier_imports::EarlierImport,
    import_result::{self, Subject},
    upload,
};
use crate::frame::{Form, Frame, Labels, Place, Query, Shown, Visit};

const LABELS: Labels = &[("file", "File")];
/// Pages of imports of contacts.
const CONTACTS: Subject = Subject {
    kind: ImportKind::Contacts,
    place: Place::Contacts,
    path: IMPORT,
    list: LIST,
    noun: "contacts",
};

#[derive(Template)]
#[template(path = "contacts/import.html")]
struct ImportPage {
    frame: Frame,
    form: Form,
    earlier: Vec<EarlierImport>,
}

pub(super) async fn show(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::WriteAudience)?;
    page(&visit, Form::new(LABELS)).await
}

pub(super) async fn take(request: HttpRequest, visit: Visit, body: Payload) -> Shown {
    match upload::hold(&request, &visit, ImportKind::Contacts, body).await? {
        Ok(file) => Ok(visit.go(&format!("{IMPORT}/check/{file}"), None)),
        Err(refusal) => page(&visit, Form::new(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn result(visit: Visit, id: Path<String>, query: Query) -> Shown {
    import_result::show(&CONTACTS, &visit, &id, &query).await
}

pub(super) async fn errors(visit: Visit, id: Path<String>) -> Shown {
    import_result::errors(&CONTACTS, &visit, &id).await
}

async fn page(visit: &Visit, form: Form) -> Shown {
    let page = ImportPage {
        frame: visit.frame(Place::Contacts).refused(form.has_faults()),
        form,
        earlier: EarlierImport::newest(visit, &CONTACTS).await?,
    };
    visit.answer(&page, page.form.has_faults())
}
