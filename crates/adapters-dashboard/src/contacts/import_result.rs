//! Result of an import: its progress, and the rows that failed.

use actix_web::{HttpResponse, http::header::CONTENT_DISPOSITION, web::Bytes};
use askama::Template;
use domain::{
    audience::import::{Import, ImportKind, ImportStatus, RowError, SHOWN_ERRORS, UndoStatus},
    shared::{csv::push_line, id::Id, page::Paged},
};
use futures_util::{StreamExt, stream};
use usecases::{Error, audience::imports::RowErrors};

use crate::formats::{Formats, Moment};
use crate::frame::{Form, Frame, Labels, Pages, Place, Query, Shown, Visit, id_of};
use crate::words::{InWords, Words, row_fault};

const LABELS: Labels = &[("file", "File")];
const HEADER: [&str; 2] = ["Row", "Fault"];

/// Imports of one kind, and the pages about them.
pub(crate) struct Subject {
    pub(crate) kind: ImportKind,
    pub(crate) place: Place,
    /// Address to which files are uploaded. The results are below it.
    pub(crate) path: &'static str,
    /// Address of what was imported.
    pub(crate) list: &'static str,
    /// Name of what is imported, in the plural.
    pub(crate) noun: &'static str,
}

#[derive(Template)]
#[template(path = "contacts/import_result.html")]
struct ResultPage {
    frame: Frame,
    form: Form,
    path: &'static str,
    list: &'static str,
    noun: &'static str,
    result: Shape,
    rows: Vec<Row>,
    pages: Pages,
    may_write: bool,
}

/// Import, as the page shows it.
struct Shape {
    href: String,
    file: Option<String>,
    status: Words,
    undo: Option<Words>,
    /// True while the page changes by itself.
    is_live: bool,
    is_finished: bool,
    is_undoable: bool,
    total: u32,
    done: u32,
    total_text: String,
    done_text: String,
    created: String,
    updated: String,
    failed: String,
    fixed_lines: Option<String>,
    undone: String,
    consent: Option<String>,
    /// Address of an earlier import of the same file.
    same_as: Option<String>,
    uploaded: Moment,
}

struct Row {
    number: u32,
    fault: String,
}

impl Shape {
    fn new(subject: &Subject, import: Import, f: &Formats) -> Self {
        let done = import.created + import.updated + import.failed;
        let is_finished = matches!(import.status, ImportStatus::Completed | ImportStatus::Failed);
        let is_being_undone =
            matches!(import.undo_status, Some(UndoStatus::Queued | UndoStatus::Processing));
        let fixed_lines = (import.fixed_lines > 0).then(|| f.count(import.fixed_lines));
        let is_undoable = import.kind == ImportKind::Contacts && import.undoable(f.now()).is_ok();
        Self {
            href: format!("{}/{}", subject.path, import.id),
            file: import.file_name,
            status: import.status.words(),
            undo: import.undo_status.map(InWords::words),
            is_live: !is_finished || is_being_undone,
            is_finished,
            is_undoable,
            total: import.total_rows,
            done,
            total_text: f.count(import.total_rows),
            done_text: f.count(done),
            created: f.count(import.created),
            updated: f.count(import.updated),
            failed: f.count(import.failed),
            fixed_lines,
            undone: f.count(import.undone),
            consent: import.consent_source,
            same_as: import.same_as.map(|former| format!("{}/{former}", subject.path)),
            uploaded: f.time(import.created_at),
        }
    }
}

pub(crate) async fn show(subject: &Subject, visit: &Visit, id: &str, query: &Query) -> Shown {
    let id: Id<Import> = id_of(id)?;
    let imports = &visit.api().imports;
    let (import, errors) = imports.get(&visit.caller, subject.kind, id).await?;
    let page = query.page_of(25)?;
    let is_lower_bound = errors.len() == SHOWN_ERRORS;
    let errors = Paged { is_lower_bound, ..page.part(errors) };
    let row = |error: &RowError| Row { number: error.row, fault: row_fault(error) };
    let shape = Shape::new(subject, import, &visit.formats());
    visit.show(&ResultPage {
        frame: visit.frame(subject.place),
        form: Form::new(LABELS),
        path: subject.path,
        list: subject.list,
        noun: subject.noun,
        pages: Pages::of(&shape.href, query, &errors),
        result: shape,
        rows: errors.items.iter().map(row).collect(),
        may_write: imports.authorize(&visit.caller, subject.kind).is_ok(),
    })
}

/// Answers all rows of an import that failed, as CSV.
pub(crate) async fn errors(subject: &Subject, visit: &Visit, id: &str) -> Shown {
    let imports = &visit.api().imports;
    let mut errors = imports.errors(&visit.caller, subject.kind, id_of(id)?).await?;
    let mut first = String::new();
    push_line(&mut first, HEADER);
    // Read before the answer begins, so that an unavailable store is reported by the status.
    push_rows(&mut first, &errors.next().await?);
    let rest = stream::try_unfold(errors, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"failed-rows.csv\""))
        .streaming(stream::iter([Ok(Bytes::from(first))]).chain(rest)))
}

/// Returns the next part. An error cuts the answer off, so that nobody mistakes a part for the whole.
async fn next_part(mut errors: RowErrors) -> Result<Option<(Bytes, RowErrors)>, Error> {
    let part = errors.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    let mut text = String::new();
    push_rows(&mut text, &part);
    Ok(Some((Bytes::from(text), errors)))
}

fn push_rows(text: &mut String, errors: &[RowError]) {
    for error in errors {
        push_line(text, [error.row.to_string().as_str(), row_fault(error).as_str()]);
    }
}
