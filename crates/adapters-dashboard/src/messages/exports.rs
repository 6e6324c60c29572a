//! `/app/messages/exports`

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Bytes, Path};
use askama::Template;
use domain::messaging::delivery_log::LogFilter;
use domain::messaging::log_export::{LogExport, LogExportState, LogExportStatus, LogFile};
use domain::shared::id::Id;
use futures_util::stream;
use usecases::{Error, messaging::log_exports::LogExportFile};

use super::filter;
use crate::formats::{Formats, Moment};
use crate::frame::{Failure, Form, Frame, Place, Posted, Shown, Visit, id_of, once};
use crate::words::{InWords, Words};

pub(super) const PATH: &str = "/app/messages/exports";

#[derive(Template)]
#[template(path = "messages/exports.html")]
struct ExportsPage {
    frame: Frame,
    form: Form,
    exports: Vec<Export>,
    is_live: bool,
}

#[derive(Template)]
#[template(path = "messages/export.html")]
struct ExportPage {
    frame: Frame,
    export: Export,
}

#[derive(Template)]
#[template(path = "messages/export_delete.html")]
struct DeletePage {
    frame: Frame,
    export: Export,
}

/// Export as pages show it.
struct Export {
    href: String,
    state: Words,
    /// Reason for which it has no file.
    failure: Option<&'static str>,
    /// Number of messages that were written so far.
    rows: String,
    /// Size of the file, and the time until which it is kept.
    file: Option<File>,
    is_live: bool,
    asked: Moment,
    /// Names and values of the filters.
    filters: Vec<(&'static str, String)>,
}

/// File that can be downloaded.
struct File {
    href: String,
    size: String,
    kept_until: Moment,
}

pub(super) async fn list(visit: Visit) -> Shown {
    list_page(&visit, Form::default()).await
}

pub(super) async fn begin(visit: Visit, posted: Posted) -> Shown {
    match once(&visit, &posted, begin_export(&visit, &posted)).await {
        Ok(address) => {
            Ok(visit.done(&address, "The file is being prepared. You can leave this page."))
        }
        Err(refusal) => list_page(&visit, posted.form(filter::LABELS).refused(refusal)?).await,
    }
}

/// Begins an export, and returns the address of its page. A file has texts.
async fn begin_export(visit: &Visit, posted: &Posted) -> Result<String, Error> {
    let request = filter::read(|name| posted.text(name), &visit.formats())?;
    let export = visit.api().log_exports.begin(&visit.caller, &request).await?;
    Ok(address_of(export.id))
}

async fn list_page(visit: &Visit, form: Form) -> Shown {
    let formats = visit.formats();
    let exports = visit.api().log_exports.list(&visit.caller).await?;
    let exports: Vec<_> = exports.iter().map(|export| Export::of(export, &formats)).collect();
    let page = ExportsPage {
        frame: visit.frame(Place::Messages).refused(form.has_faults()),
        is_live: exports.iter().any(|export| export.is_live),
        form,
        exports,
    };
    visit.answer(&page, page.form.has_faults())
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    let export = find(&visit, &id).await?;
    visit.show(&ExportPage { frame: visit.frame(Place::Messages), export })
}

pub(super) async fn download(visit: Visit, id: Path<String>) -> Shown {
    let file = visit.api().log_exports.download(&visit.caller, id_of(&id)?).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"messages.csv\""))
        .streaming(stream::try_unfold(file, next_part)))
}

/// Returns the next part. An error cuts the answer off, so that nobody takes a part for the whole.
async fn next_part(mut file: LogExportFile) -> Result<Option<(Bytes, LogExportFile)>, Error> {
    let part = file.next().await?;
    Ok(part.map(|part| (Bytes::from(part), file)))
}

pub(super) async fn ask_to_delete(visit: Visit, id: Path<String>) -> Shown {
    let export = find(&visit, &id).await?;
    visit.show(&DeletePage { frame: visit.frame(Place::Messages), export })
}

pub(super) async fn delete(visit: Visit, id: Path<String>, _: Posted) -> Shown {
    visit.api().log_exports.delete(&visit.caller, id_of(&id)?).await?;
    Ok(visit.done(PATH, "The export is deleted."))
}

async fn find(visit: &Visit, id: &str) -> Result<Export, Failure> {
    let export = visit.api().log_exports.get(&visit.caller, id_of(id)?).await?;
    Ok(Export::of(&export, &visit.formats()))
}

fn address_of(id: Id<LogExport>) -> String {
    format!("{PATH}/{id}")
}

impl Export {
    fn of(export: &LogExport, formats: &Formats) -> Self {
        let href = address_of(export.id);
        let status = export.state.status();
        let (failure, file) = match export.state {
            LogExportState::Preparing => (None, None),
            LogExportState::Ready(LogFile { bytes, kept_until, .. }) => {
                let (size, kept_until) = (formats.size(bytes), formats.time(kept_until));
                (None, Some(File { href: format!("{href}/file"), size, kept_until }))
            }
            LogExportState::Failed { failure, .. } => (Some(failure.words().meaning), None),
        };
        Self {
            href,
            state: status.words(),
            failure,
            rows: formats.count(export.rows),
            file,
            is_live: status == LogExportStatus::Preparing,
            asked: formats.time(export.created_at),
            filters: filters(&export.filter, formats),
        }
    }
}

/// Returns the filters of an export in words.
fn filters(filter: &LogFilter, formats: &Formats) -> Vec<(&'static str, String)> {
    let recipient = filter.recipients.as_ref().and_then(|recipients| recipients.first());
    let campaign = filter.campaign.map(|_| "One campaign".to_owned());
    let all = [
        ("Recipient", recipient.map(|recipient| formats.phone(recipient))),
        ("Status", filter.status.map(|status| status.words().label.to_owned())),
        ("Channel", filter.channel.map(|channel| channel.words().label.to_owned())),
        ("Reason", filter.error_code.map(|code| code.words().label.to_owned())),
        ("Campaign", campaign),
        ("Event", filter.event.clone()),
        ("From", filter.from.map(|from| formats.time(from).text)),
        ("Until", filter.to.map(|to| formats.time(to).text)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
