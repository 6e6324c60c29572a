//! `/contacts/import` and `/compliance/suppression/import`: imports of files and their results.

mod preview;
mod views;

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    audience::import::{Import, ImportKind, RowError},
    identity::{caller::Caller, organization::Holding},
    shared::id::Id,
};
use futures_util::{StreamExt, stream};
use usecases::{
    Error,
    audience::imports::{
        ALREADY_UNDONE, FileRequest, IMPORT_NOT_FINISHED, Imports, RowErrors, TOO_MANY_IMPORTS,
        UNDO_TOO_LATE, file_imported,
    },
};

use self::{
    preview::Uploaded,
    views::{ImportView, ImportWithErrorsView, UndoBegun},
};
use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        caller::Member,
        csv,
        endpoint::{
            Area, Endpoint, describe::Description, get, post, post_once, refusals::EXAMPLE,
        },
        error::ApiError,
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
        request_id::ThisRequest,
        upload::{FormFile, FormUpload},
    },
};

const HEADER: [&str; 3] = ["row", "column", "reason"];

const TOO_LARGE: &str = "The file has more than 20 MiB or 100,000 rows: `PAYLOAD_TOO_LARGE`.";

/// Must precede the area of contacts, which would take `imports` for the identifier of a contact.
pub(super) fn area() -> Area {
    Area {
        name: "Imports",
        about: "Files of contacts and of suppressions, processed in the background.",
        endpoints: [contacts(), suppressions()].into_iter().flatten().collect(),
    }
}

fn contacts() -> Vec<Endpoint> {
    vec![
        post_once("/contacts/import", "importContacts", import_contacts)
            .summary("Import contacts.")
            .description(
                "The part `file` of the form is CSV with comma, semicolon or tab, in UTF-8 or \
                 Windows-1252. The first row names the columns in any order and spelling: \
                 `firstName`, `lastName`, `name` (both in one), `phone`, `email` (at least one of \
                 these two), `countryCode` (of numbers without a calling code; `GH` if empty), \
                 `tags` (separated by `;` or `|`) and `fcmToken`, or the names that exports of \
                 spreadsheets, address books and shops use for them, such as `Mobile No.`, `Email \
                 Address` or `Surname`. If several columns may be the phone, one is used: `phone` \
                 before `Mobile` before `Telephone` before the rest. All other columns are \
                 attributes. A part `mapping` before the file can assign columns: a JSON object of \
                 headers and fields, such as `{\"WhatsApp\": \"phone\", \"Branch\": \
                 \"attributes.Town\", \"Notes\": null}`; null ignores a column. An invalid cell is \
                 ignored and reported in `errors`; its row is accepted if it has another phone or \
                 email. Rows of separators only are skipped. A row whose phone or email belongs to \
                 an existing contact changes that contact: an empty cell keeps the value, tags are \
                 replaced. A fixed line is accepted as a phone and counted in `fixedLines`. A file \
                 that is sent again is a new import, which updates the same contacts and names the \
                 earlier one in `sameAs`; with a part `once` before the file it is refused. A part \
                 `consentSource` before the file records the consent of all its contacts, as of \
                 the upload; a contact that has a consent keeps it. With a part `dryRun` before \
                 the file nothing is imported: the answer shows how the beginning of the file \
                 would be understood, without a look at existing contacts.",
            )
            .refuses(Error::Conflict(TOO_MANY_IMPORTS))
            .fills(&[Holding::DailyImports])
            .refuses(file_imported(Id::of(EXAMPLE)))
            .fails(413, TOO_LARGE),
        undo(),
        get("/contacts/imports", "listContactImports", list_of_contacts)
            .extension()
            .summary("List imports of contacts.")
            .description("Newest first, without their errors. Imports are kept for 30 days.")
            .answers("A page."),
        get("/contacts/imports/{id}", "getContactImport", get_of_contacts)
            .extension()
            .summary("Get an import of contacts.")
            .answers("The import, with the first 1,000 rows that failed."),
        get("/contacts/imports/{id}/errors", "listContactImportErrors", errors_of_contacts)
            .extension()
            .summary("Download the failed rows of an import of contacts.")
            .description(ALL_ERRORS)
            .answers("A header, and a row for each failed row.")
            .with(answers_csv),
    ]
}

fn undo() -> Endpoint {
    post("/contacts/imports/{id}/undo", "undoContactImport", undo_import)
        .extension()
        .summary("Undo an import of contacts.")
        .description(
            "Possible once, for a day after the end of the import. Deletes the contacts that the \
             import created and that no request and no other file changed since. Contacts that \
             were there before keep what the import changed. Messages that were sent meanwhile \
             stay in the log; deleting a contact by itself erases them. It works in the \
             background: `undoStatus` and `undone` of the import show how far it is. It is recorded \
             in the audit log.",
        )
        .refuses(Error::Conflict(IMPORT_NOT_FINISHED))
        .refuses(Error::Conflict(UNDO_TOO_LATE))
        .refuses(Error::Conflict(ALREADY_UNDONE))
}

fn suppressions() -> Vec<Endpoint> {
    vec![
        post_once("/compliance/suppression/import", "importSuppressions", import_suppressions)
            .extension()
            .summary("Import suppressions.")
            .description(
                "Like the import of contacts, with the columns `phone`, `email` (at least one of \
                 these two), `channel`, `category` and `reason`. Any other column must be excluded \
                 by `mapping`. An existing entry keeps its reason unless the row gives one.",
            )
            .answers("The import. It is processed in the background.")
            .refuses(Error::Conflict(TOO_MANY_IMPORTS))
            .fills(&[Holding::DailyImports])
            .refuses(file_imported(Id::of(EXAMPLE)))
            .fails(413, TOO_LARGE),
        get("/compliance/suppression/imports", "listSuppressionImports", list_of_suppressions)
            .extension()
            .summary("List imports of suppressions.")
            .description("Newest first, without their errors. Imports are kept for 30 days.")
            .answers("A page."),
        get("/compliance/suppression/imports/{id}", "getSuppressionImport", get_of_suppressions)
            .extension()
            .summary("Get an import of suppressions.")
            .answers("The import, with the first 1,000 rows that failed."),
        get(
            "/compliance/suppression/imports/{id}/errors",
            "listSuppressionImportErrors",
            errors_of_suppressions,
        )
        .extension()
        .summary("Download the failed rows of an import of suppressions.")
        .description(ALL_ERRORS)
        .answers("A header, and a row for each failed row.")
        .with(answers_csv),
    ]
}

const ALL_ERRORS: &str = "CSV, in the order of the file. Rows are numbered as in a spreadsheet: \
     the header is row 1. If the row as a whole is invalid, `column` is empty.";

fn answers_csv(description: &mut Description) {
    description.answers_text(200, "text/csv", &(HEADER.join(",") + "\r\n"));
}

impl Identified for Import {
    const NAME: &'static str = "import";
}

async fn import_contacts(
    Member(caller): Member,
    api: Data<Api>,
    form: FormUpload,
) -> Result<Uploaded, ApiError> {
    take(ImportKind::Contacts, caller, &api, form).await
}

async fn import_suppressions(
    Member(caller): Member,
    api: Data<Api>,
    form: FormUpload,
) -> Result<Created<ImportWithErrorsView>, ApiError> {
    match take(ImportKind::Suppressions, caller, &api, form).await? {
        Uploaded::Import(import) => Ok(Created::new(import)),
        // A preview of suppressions is refused.
        Uploaded::Preview(_) => Err(ApiError::Broken),
    }
}

async fn take(
    kind: ImportKind,
    caller: Caller,
    api: &Api,
    form: FormUpload,
) -> Result<Uploaded, ApiError> {
    let taken = try_to_take(kind, caller, api, &form).await;
    match &taken {
        Ok(Uploaded::Import(_)) => {}
        Ok(Uploaded::Preview(_)) => form.pass_over().await,
        Err(_) => form.drain().await,
    }
    taken
}

/// Works on the file in a task of its own, which ends with the form, also if the client disconnects.
async fn try_to_take(
    kind: ImportKind,
    caller: Caller,
    api: &Api,
    form: &FormUpload,
) -> Result<Uploaded, ApiError> {
    api.imports.authorize(&caller, kind)?;
    let (form, file, request) = form.open().await?;
    let upload = upload(api.imports.clone(), caller, kind, request, file);
    let uploading = api.background.spawn(upload);
    form.read().await;
    Ok(uploading.await.map_err(|_| ApiError::Broken)??)
}

/// Stores a file, or looks at its beginning.
async fn upload(
    imports: Imports,
    caller: Caller,
    kind: ImportKind,
    request: FileRequest,
    file: FormFile,
) -> Result<Uploaded, Error> {
    if request.is_dry_run {
        let preview = imports.preview(&caller, kind, request, file).await?;
        return Ok(Uploaded::Preview(preview.into()));
    }
    Ok(Uploaded::Import(imports.upload(&caller, kind, request, file).await?.into()))
}

async fn undo_import(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<Import>,
) -> Result<UndoBegun, ApiError> {
    Ok(UndoBegun::new(api.imports.undo(&caller, id.read()?, request).await?))
}

async fn list_of_contacts(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<ImportView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.imports.page(&caller, ImportKind::Contacts, page).await?))
}

async fn list_of_suppressions(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<ImportView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.imports.page(&caller, ImportKind::Suppressions, page).await?))
}

async fn get_of_contacts(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Import>,
) -> Result<Answer<ImportWithErrorsView>, ApiError> {
    Ok(Answer::new(api.imports.get(&caller, ImportKind::Contacts, id.read()?).await?))
}

async fn get_of_suppressions(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Import>,
) -> Result<Answer<ImportWithErrorsView>, ApiError> {
    Ok(Answer::new(api.imports.get(&caller, ImportKind::Suppressions, id.read()?).await?))
}

async fn errors_of_contacts(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Import>,
) -> Result<HttpResponse, ApiError> {
    all_errors(ImportKind::Contacts, &caller, &api, id.read()?).await
}

async fn errors_of_suppressions(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Import>,
) -> Result<HttpResponse, ApiError> {
    all_errors(ImportKind::Suppressions, &caller, &api, id.read()?).await
}

async fn all_errors(
    kind: ImportKind,
    caller: &Caller,
    api: &Api,
    id: Id<Import>,
) -> Result<HttpResponse, ApiError> {
    let mut errors = api.imports.errors(caller, kind, id).await?;
    // Read before the answer begins, so that an unavailable store is reported by the status.
    let first = csv::beginning(&HEADER, errors.next().await?.into_iter().map(row));
    let rest = stream::try_unfold(errors, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"import-errors.csv\""))
        .streaming(stream::iter([Ok(first)]).chain(rest)))
}

/// Returns the next part. An error cuts the response off, so that a client does not mistake a part
/// for the whole.
async fn next_part(mut errors: RowErrors) -> Result<Option<(Bytes, RowErrors)>, ApiError> {
    let part = errors.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    Ok(Some((csv::rows(part.into_iter().map(row)), errors)))
}

fn row(error: RowError) -> [String; HEADER.len()] {
    [error.row.to_string(), error.column.unwrap_or_default(), error.reason]
}
