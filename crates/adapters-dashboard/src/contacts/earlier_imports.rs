//! Earlier imports of a kind, as the page on which another file is uploaded lists them.

use domain::{audience::import::Import, shared::page::Page};

use super::import_result::Subject;
use crate::formats::{Formats, Moment};
use crate::frame::{Failure, Visit};
use crate::words::{InWords, Words};

/// Earlier import. The template `contacts/earlier_imports.html` lists them.
pub(crate) struct EarlierImport {
    pub(crate) href: String,
    pub(crate) file: Option<String>,
    pub(crate) status: Words,
    pub(crate) rows: String,
    pub(crate) failed: u32,
    pub(crate) failed_text: String,
    pub(crate) at: Moment,
}

impl EarlierImport {
    pub(crate) async fn newest(visit: &Visit, subject: &Subject) -> Result<Vec<Self>, Failure> {
        let page = Page::new(None, Some(10))?;
        let found = visit.api().imports.page(&visit.caller, subject.kind, page).await?;
        let f = visit.formats();
        Ok(found.items.into_iter().map(|import| Self::new(import, subject, &f)).collect())
    }

    fn new(import: Import, subject: &Subject, f: &Formats) -> Self {
        let undone = import.undo_status.map(InWords::words);
        Self {
            href: format!("{}/{}", subject.path, import.id),
            file: import.file_name,
            status: undone.unwrap_or_else(|| import.status.words()),
            rows: f.count(import.total_rows),
            failed: import.failed,
            failed_text: f.count(import.failed),
            at: f.time(import.created_at),
        }
    }
}
