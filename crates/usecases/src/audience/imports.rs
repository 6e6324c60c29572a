//! Imports of contacts or suppressions: files are uploaded at once and processed in the background.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::{
        contact,
        import::{
            Import, ImportKind, ImportStatus, MAX_WAITING, Mapping, NotUndoable, Preview,
            PreviewReader, Refused, RowError, SHOWN_ERRORS, Upload,
        },
    },
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        organization::{Holding, Organization},
        permission::Permission,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::imports::{FileIdentity, ImportRepository, Submitted},
    shared::{
        clock::Clock,
        signals::{DueWork, WakeSignal},
    },
};

use crate::{
    Error,
    shared::{bounds::Bounds, digest::PiecewiseHash, error::Reason},
};

mod held;
mod work;

pub use self::{
    held::HeldPreview,
    work::{ImportWork, Spawn},
};

/// The organization has the maximum number of waiting imports.
pub const TOO_MANY_IMPORTS: Reason = Reason::new(
    "TOO_MANY_IMPORTS",
    "ten imports of this kind wait already; try again when one is done",
);
/// The import has rows that are not processed.
pub const IMPORT_NOT_FINISHED: Reason =
    Reason::new("IMPORT_NOT_FINISHED", "the import is not finished; it can be undone afterwards");
/// The import ended too long ago.
pub const UNDO_TOO_LATE: Reason =
    Reason::new("UNDO_TOO_LATE", "an import can be undone for a day after its end");
/// An undo was requested before.
pub const ALREADY_UNDONE: Reason =
    Reason::new("ALREADY_UNDONE", "the import was undone before, or is being undone");
const PAYLOAD_TOO_LARGE: &str = "PAYLOAD_TOO_LARGE";

/// Name of the field with the source of the consent of all contacts of a file.
const CONSENT_SOURCE: &str = "consentSource";
/// Name of the field that asks for a preview.
const DRY_RUN: &str = "dryRun";
/// Number of errors read at a time.
const ERRORS_AT_ONCE: usize = 1_000;

/// Uploaded file, received in parts.
#[async_trait]
pub trait Incoming: Send {
    /// Returns the next part; `None` at the end. Fails if the upload breaks off, and with the faults of
    /// the other request fields.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Faults>;
}

/// Metadata of a file, known before its upload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRequest {
    /// File name.
    pub name: Option<String>,
    /// Mapping of its columns to fields.
    pub mapping: Mapping,
    /// Source of the consent of all its contacts.
    pub consent_source: Option<String>,
    /// True to see the beginning of the file as it would be understood, and to import nothing.
    pub is_dry_run: bool,
    /// True to refuse the file if the same bytes were imported within a day.
    pub is_once: bool,
}

impl FileRequest {
    /// Returns the checked source of the consent.
    fn checked_consent_source(&self, kind: ImportKind) -> Result<Option<String>, Faults> {
        match &self.consent_source {
            None => Ok(None),
            Some(_) if kind == ImportKind::Suppressions => {
                Err(Faults::field(CONSENT_SOURCE, "is only for contacts"))
            }
            Some(source) => contact::checked_consent_source(source)
                .map(Some)
                .map_err(|fault| Faults::field(CONSENT_SOURCE, fault)),
        }
    }
}

/// Operations on imports.
#[derive(Clone)]
pub struct Imports {
    repository: Arc<dyn ImportRepository>,
    wake_signal: Arc<dyn WakeSignal>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
}

impl Imports {
    /// Creates the operations over `repository`. Workers are woken by `wake_signal`, and `bounds` limits
    /// the imports of organizations.
    pub fn new(
        repository: Arc<dyn ImportRepository>,
        wake_signal: Arc<dyn WakeSignal>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { repository, wake_signal, bounds, clock }
    }

    /// Fails unless the caller may import rows of that kind.
    pub fn authorize(&self, caller: &Caller, kind: ImportKind) -> Result<(), Error> {
        Ok(caller.authorize(match kind {
            ImportKind::Contacts => Permission::WriteAudience,
            ImportKind::Suppressions => Permission::WriteSuppressions,
        })?)
    }

    /// Stores a file part by part, and records its unreadable rows. A refused or incomplete file leaves
    /// nothing behind.
    pub async fn upload(
        &self,
        caller: &Caller,
        kind: ImportKind,
        request: FileRequest,
        file: impl Incoming,
    ) -> Result<(Import, Vec<RowError>), Error> {
        self.upload_among(caller, kind, request, file, MAX_WAITING).await
    }

    /// Does the same unless `most` imports wait.
    async fn upload_among(
        &self,
        caller: &Caller,
        kind: ImportKind,
        request: FileRequest,
        file: impl Incoming,
        most: usize,
    ) -> Result<(Import, Vec<RowError>), Error> {
        self.authorize(caller, kind)?;
        let consent_source = request.checked_consent_source(kind)?;
        self.bounds.find_room(caller.organization, &[Holding::DailyImports]).await?;
        let now = self.clock.now();
        let import = Import { file_name: request.name, consent_source, ..blank(caller, kind, now) };
        self.begin(&import, most).await?;
        let received = self.receive(&import, request.mapping, request.is_once, file).await;
        if received.is_err() {
            self.abandon(&import).await;
        }
        received
    }

    async fn begin(&self, import: &Import, most: usize) -> Result<(), Error> {
        let has_begun = self.repository.begin(import, most).await?;
        if has_begun { Ok(()) } else { Err(Error::Conflict(TOO_MANY_IMPORTS)) }
    }

    async fn abandon(&self, import: &Import) {
        if let Err(error) = self.repository.abandon(import.organization, import.id).await {
            // A remaining upload is purged later.
            tracing::warn!(%error, import = %import.id, "failed to delete an abandoned upload");
        }
    }

    async fn receive(
        &self,
        import: &Import,
        mapping: Mapping,
        is_once: bool,
        mut file: impl Incoming,
    ) -> Result<(Import, Vec<RowError>), Error> {
        let mut upload = Upload::new(import.kind, mapping);
        let mut hash = PiecewiseHash::default();
        while let Some(bytes) = file.next().await? {
            hash.add(&bytes);
            for chunk in upload.write(&bytes).map_err(refused)? {
                self.repository.add_chunk(import, &chunk).await?;
            }
        }
        let mut received = upload.finish().map_err(refused)?;
        let identity = FileIdentity { hash: hash.finish(), is_once };
        let import = match self.repository.submit(import, &received, identity).await? {
            Submitted::Done(import) => *import,
            Submitted::Known(former) => return Err(file_imported(former)),
        };
        self.wake_signal.signal(DueWork::Imports);
        received.unreadable.truncate(SHOWN_ERRORS);
        Ok((import, received.unreadable))
    }

    /// Returns the beginning of a file of contacts as an import would understand it. Reads no more of the
    /// file than that takes, and stores nothing.
    pub async fn preview(
        &self,
        caller: &Caller,
        kind: ImportKind,
        request: FileRequest,
        mut file: impl Incoming,
    ) -> Result<Preview, Error> {
        self.authorize(caller, kind)?;
        if kind == ImportKind::Suppressions {
            return Err(Faults::field(DRY_RUN, "is only for contacts").into());
        }
        request.checked_consent_source(kind)?;
        let mut reader = PreviewReader::new(request.mapping);
        while !reader.is_full()
            && let Some(bytes) = file.next().await?
        {
            reader.write(&bytes).map_err(refused)?;
        }
        reader.finish(caller.organization, self.clock.now()).map_err(refused)
    }

    /// Requests the undo of an import of contacts, which follows in the background. Returns the import as
    /// it is then.
    pub async fn undo(
        &self,
        caller: &Caller,
        id: Id<Import>,
        request: RequestId,
    ) -> Result<Import, Error> {
        caller.authorize(Permission::WriteAudience)?;
        let user = caller.user()?;
        let import = self.find(caller, ImportKind::Contacts, id).await?;
        let now = self.clock.now();
        import.undoable(now).map_err(|reason| {
            Error::Conflict(match reason {
                NotUndoable::NotFinished => IMPORT_NOT_FINISHED,
                NotUndoable::TooLate => UNDO_TOO_LATE,
                NotUndoable::AlreadyUndone => ALREADY_UNDONE,
            })
        })?;
        let is_impersonating = caller.impersonator().is_some();
        let entry = AuditEntry {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            at: now,
            actor: Actor { user, request, is_impersonating },
            action: AuditAction::ImportUndone,
            resource_type: "IMPORT",
            resource: id.uuid(),
            details: BTreeMap::from([("created", import.created.to_string())]),
        };
        if !self.repository.begin_undo(caller.organization, id, &entry).await? {
            // Another request was quicker.
            return Err(Error::Conflict(ALREADY_UNDONE));
        }
        self.wake_signal.signal(DueWork::Imports);
        self.find(caller, ImportKind::Contacts, id).await
    }

    /// Returns a page of the organization's imports of a kind, newest first.
    pub async fn page(
        &self,
        caller: &Caller,
        kind: ImportKind,
        page: Page,
    ) -> Result<Paged<Import>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, kind, page).await?)
    }

    /// Returns an import with its first failed rows.
    pub async fn get(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<(Import, Vec<RowError>), Error> {
        let import = self.find(caller, kind, id).await?;
        let errors = self.repository.errors(caller.organization, id, 0, SHOWN_ERRORS).await?;
        Ok((import, errors))
    }

    /// Returns a reader of all failed rows of an import.
    pub async fn errors(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<RowErrors, Error> {
        self.find(caller, kind, id).await?;
        Ok(RowErrors {
            repository: Arc::clone(&self.repository),
            organization: caller.organization,
            id,
            after: Some(0),
        })
    }

    async fn find(
        &self,
        caller: &Caller,
        kind: ImportKind,
        id: Id<Import>,
    ) -> Result<Import, Error> {
        caller.authorize(Permission::Read)?;
        let found = self.repository.find(caller.organization, kind, id).await?;
        found.ok_or(Error::NotFound("import"))
    }
}

/// Returns an import whose file has not arrived.
fn blank(caller: &Caller, kind: ImportKind, now: DateTime<Utc>) -> Import {
    Import {
        id: Id::new_in(now, caller.organization),
        organization: caller.organization,
        kind,
        file_name: None,
        status: ImportStatus::Queued,
        total_rows: 0,
        created: 0,
        updated: 0,
        failed: 0,
        fixed_lines: 0,
        consent_source: None,
        same_as: None,
        undo_status: None,
        undone: 0,
        undone_at: None,
        created_at: now,
        completed_at: None,
    }
}

/// The same bytes were imported within a day.
pub fn file_imported(former: Id<Import>) -> Error {
    let message = "the same file was imported within the last 24 hours";
    Error::Conflict(Reason::new("FILE_IMPORTED", message).about("importId", former.to_string()))
}

fn refused(why: Refused) -> Error {
    match why {
        Refused::TooLarge(limit) => Error::TooLarge(Reason::new(PAYLOAD_TOO_LARGE, limit)),
        Refused::Invalid(faults) => faults.into(),
    }
}

/// Failed rows of an import, read in parts. No connection is held in between.
pub struct RowErrors {
    repository: Arc<dyn ImportRepository>,
    organization: Id<Organization>,
    id: Id<Import>,
    /// Last row read; `None` after the last part.
    after: Option<u32>,
}

impl RowErrors {
    /// Returns the next part; it is empty at the end.
    pub async fn next(&mut self) -> Result<Vec<RowError>, Error> {
        let Some(after) = self.after else { return Ok(Vec::new()) };
        let read = self.repository.errors(self.organization, self.id, after, ERRORS_AT_ONCE);
        let part = read.await?;
        let has_more = part.len() == ERRORS_AT_ONCE;
        self.after = part.last().map(|error| error.row).filter(|_| has_more);
        Ok(part)
    }
}

#[cfg(test)]
mod tests;
