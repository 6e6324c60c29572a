//! `/app/contacts/import/{id}/undo`

use actix_web::web::Path;
use askama::Template;
use domain::audience::import::{Import, ImportKind};

use super::IMPORT;
use crate::frame::{Frame, Notice, Place, Posted, Shown, Visit, id_of};
use crate::words::InWords;

#[derive(Template)]
#[template(path = "contacts/undo.html")]
struct UndoPage {
    frame: Frame,
    href: String,
    file: Option<String>,
    created: String,
}

pub(super) async fn ask(visit: Visit, id: Path<String>) -> Shown {
    let id = id_of::<Import>(&id)?;
    let imports = &visit.api().imports;
    imports.authorize(&visit.caller, ImportKind::Contacts)?;
    let (import, _) = imports.get(&visit.caller, ImportKind::Contacts, id).await?;
    let f = visit.formats();
    let href = format!("{IMPORT}/{id}");
    if let Err(reason) = import.undoable(f.now()) {
        return Ok(visit.go(&href, Some(Notice::bad(reason.words().meaning))));
    }
    visit.show(&UndoPage {
        frame: visit.frame(Place::Contacts),
        href,
        file: import.file_name,
        created: f.count(import.created),
    })
}

pub(super) async fn undo(visit: Visit, id: Path<String>, _: Posted) -> Shown {
    let id = id_of::<Import>(&id)?;
    let href = format!("{IMPORT}/{id}");
    visit.api().imports.undo(&visit.caller, id, visit.request_id()?).await?;
    Ok(visit.done(&href, "The new contacts of this import are being deleted."))
}
