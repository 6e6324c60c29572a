//! Download of the file of an export.

use std::sync::Arc;

use domain::{
    identity::organization::Organization,
    messaging::log_export::{LogExport, LogFile},
    shared::id::Id,
};
use ports::messaging::log_exports::LogExportRepository;

use super::MISSING;
use crate::Error;

/// Download in progress. It holds one part of the file at a time, and no connection between parts.
pub struct LogExportFile {
    repository: Arc<dyn LogExportRepository>,
    organization: Id<Organization>,
    id: Id<LogExport>,
    file: LogFile,
    next: u32,
}

impl LogExportFile {
    pub(super) fn new(
        repository: Arc<dyn LogExportRepository>,
        export: &LogExport,
        file: LogFile,
    ) -> Self {
        let (organization, id) = (export.organization, export.id);
        Self { repository, organization, id, file, next: 0 }
    }

    /// Size of the whole file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// Returns the next part of the CSV; `None` at the end. Fails if the export was deleted meanwhile,
    /// so that nobody mistakes a part for the whole.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.next >= self.file.parts {
            return Ok(None);
        }
        let part = self.repository.part(self.organization, self.id, self.next).await?;
        let part = part.ok_or(MISSING)?;
        self.next += 1;
        Ok(Some(part))
    }
}
