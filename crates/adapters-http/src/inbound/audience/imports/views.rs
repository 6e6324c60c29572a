//! External form of imports.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode};
use domain::{
    audience::import::{Import, ImportStatus, RowError, UndoStatus},
    shared::id::Id,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::{
    answers::{self, schema_of_one},
    endpoint::describe::{Describe, Description},
    formats::{Names, Timestamp, Vocabulary},
};

type StatusName = Names<ImportStatus>;
type UndoStatusName = Names<UndoStatus>;

impl Vocabulary for ImportStatus {
    const TITLE: &'static str = "ImportStatus";
    const DESCRIPTION: &'static str = "The state of an import.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for UndoStatus {
    const TITLE: &'static str = "ImportUndoStatus";
    const DESCRIPTION: &'static str = "The state of the undo of an import. A `FAILED` one did not end \
         within the week for which it is known what the import created; what was done stays so.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Import of a file.
#[derive(Serialize, ToSchema)]
#[schema(as = Import)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportView {
    id: Uuid,
    /// State of the import.
    #[schema(value_type = StatusName)]
    status: &'static str,
    /// Number of rows, without the header, blank lines and rows of separators.
    #[schema(example = 3)]
    total_rows: u32,
    /// Number of rows so far that created something.
    #[schema(example = 1)]
    created: u32,
    /// Number of rows so far that updated something.
    #[schema(example = 1)]
    updated: u32,
    /// Number of rows so far that failed. At the end the three add up to `totalRows`.
    #[schema(example = 1)]
    failed: u32,
    /// Extension: number of contact rows accepted so far whose phone is a fixed line, which
    /// receives no SMS.
    #[schema(example = 0)]
    fixed_lines: u32,
    /// Extension: name of the file.
    #[schema(example = "customers.csv")]
    file_name: Option<String>,
    /// Extension: source of the consent of all contacts of the file; null if none was given.
    #[schema(example = json!(null))]
    consent_source: Option<String>,
    /// Extension: import of the same bytes within the 24 hours before; null if there was none that
    /// was neither undone nor failed.
    #[schema(example = json!(null))]
    same_as: Option<Uuid>,
    /// Extension: state of the undo; null if none was requested.
    #[schema(value_type = Option<UndoStatusName>)]
    undo_status: Option<&'static str>,
    /// Extension: number of contacts so far that the undo deleted.
    #[schema(example = 0)]
    undone: u32,
    /// Extension: time at which the undo ended.
    undone_at: Option<Timestamp>,
    created_at: Timestamp,
    /// Extension: time at which the last row was processed.
    completed_at: Option<Timestamp>,
}

/// Import of a file, with its failed rows.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportWithErrors)]
pub(super) struct ImportWithErrorsView {
    #[serde(flatten)]
    import: ImportView,
    /// First 1,000 rows so far that failed, or were accepted without some of their cells.
    errors: Vec<RowErrorView>,
}

/// Row that failed, or was accepted without some of its cells, as `reason` then says.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportError)]
pub(super) struct RowErrorView {
    /// Number of the row as in a spreadsheet: the header is row 1.
    #[schema(example = 3)]
    row: u32,
    /// Name of the column in the file; null if the row as a whole is wrong.
    #[schema(example = "Phone")]
    column: Option<String>,
    /// Reason for people.
    #[schema(example = "is not a valid phone number for GH")]
    reason: String,
}

impl From<Import> for ImportView {
    fn from(import: Import) -> Self {
        Self {
            id: import.id.uuid(),
            status: import.status.as_str(),
            total_rows: import.total_rows,
            created: import.created,
            updated: import.updated,
            failed: import.failed,
            fixed_lines: import.fixed_lines,
            file_name: import.file_name,
            consent_source: import.consent_source,
            same_as: import.same_as.map(Id::uuid),
            undo_status: import.undo_status.map(UndoStatus::as_str),
            undone: import.undone,
            undone_at: import.undone_at.map(Timestamp::from),
            created_at: import.created_at.into(),
            completed_at: import.completed_at.map(Timestamp::from),
        }
    }
}

impl From<(Import, Vec<RowError>)> for ImportWithErrorsView {
    fn from((import, errors): (Import, Vec<RowError>)) -> Self {
        Self { import: import.into(), errors: errors.into_iter().map(RowErrorView::from).collect() }
    }
}

impl From<RowError> for RowErrorView {
    fn from(RowError { row, column, reason }: RowError) -> Self {
        Self { row, column, reason }
    }
}

/// Import whose undo begins: 202.
pub(super) struct UndoBegun(ImportView);

impl UndoBegun {
    pub(super) fn new(import: Import) -> Self {
        Self(import.into())
    }
}

impl Responder for UndoBegun {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        answers::success(StatusCode::ACCEPTED, self.0)
    }
}

impl Describe for UndoBegun {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<ImportView>(&mut description.schemas);
        description.answers_json(202, schema).description = "The import. Its undo begins.";
    }
}
