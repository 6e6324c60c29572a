//! Exports of the delivery log that are written in the background.

mod file;
mod work;

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{
        caller::{Caller, Denied, Identity},
        permission::Permission,
        user::User,
    },
    messaging::{
        delivery_log::LogRequest,
        log_export::{LogExport, LogExportState, NoRoomForLogExport},
    },
    shared::id::Id,
};
use ports::{
    messaging::log_exports::{LogExportError, LogExportRepository},
    shared::clock::Clock,
};

pub use self::{file::LogExportFile, work::LogExportWork};
use crate::{Error, Reason, messaging::delivery_logs::DeliveryLogs};

/// The member has too many exports that are being prepared.
pub const TOO_MANY_LOG_EXPORTS: Reason = Reason::new(
    "TOO_MANY_LOG_EXPORTS",
    "three of your exports are being prepared already; wait until one is ready, or delete one",
);
/// The organization has too many exports.
pub const LOG_EXPORT_LIMIT_REACHED: Reason = Reason::new(
    "LOG_EXPORT_LIMIT_REACHED",
    "the organization has 20 exports; each is kept for a day unless its member deletes it",
);
/// The file of the export is not complete.
pub const LOG_EXPORT_NOT_READY: Reason =
    Reason::new("LOG_EXPORT_NOT_READY", "the export is still being prepared");
const LOG_EXPORT_FAILED: &str = "LOG_EXPORT_FAILED";

const MISSING: Error = Error::NotFound("log export");

/// Operations on exports of the delivery log. Each is for the member who asked for the export: for
/// everybody else it does not exist.
#[derive(Clone, Constructor)]
pub struct LogExports {
    repository: Arc<dyn LogExportRepository>,
    /// Log, which knows what a caller may export.
    logs: DeliveryLogs,
    clock: Arc<dyn Clock>,
}

impl LogExports {
    /// Begins an export of the messages that the log shows under a filter, newest first.
    #[tracing::instrument(skip_all, fields(organization = %caller.organization))]
    pub async fn begin(&self, caller: &Caller, request: &LogRequest) -> Result<LogExport, Error> {
        let created_by = authorized(caller)?;
        let filter = self.logs.filter(caller, request)?;
        let now = self.clock.now();
        let export = LogExport {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            created_by,
            filter,
            state: LogExportState::Preparing,
            rows: 0,
            created_at: now,
        };
        self.repository.begin(&export).await.map_err(refused)?;
        Ok(export)
    }

    /// Returns an export.
    pub async fn get(&self, caller: &Caller, id: Id<LogExport>) -> Result<LogExport, Error> {
        let member = authorized(caller)?;
        let found = self.repository.find(caller.organization, member, id).await?;
        let now = self.clock.now();
        found.filter(|export| export.is_kept(now)).ok_or(MISSING)
    }

    /// Returns the caller's exports, newest first.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<LogExport>, Error> {
        let member = authorized(caller)?;
        let mut exports = self.repository.list(caller.organization, member).await?;
        let now = self.clock.now();
        exports.retain(|export| export.is_kept(now));
        Ok(exports)
    }

    /// Begins a download of the file of an export that is ready.
    pub async fn download(
        &self,
        caller: &Caller,
        id: Id<LogExport>,
    ) -> Result<LogExportFile, Error> {
        let export = self.get(caller, id).await?;
        match export.state {
            LogExportState::Ready(file) => {
                Ok(LogExportFile::new(Arc::clone(&self.repository), &export, file))
            }
            LogExportState::Preparing => Err(Error::Conflict(LOG_EXPORT_NOT_READY)),
            LogExportState::Failed { failure, .. } => {
                Err(Error::Conflict(Reason::with_message(LOG_EXPORT_FAILED, failure.to_string())))
            }
        }
    }

    /// Deletes an export with its file, whatever its state.
    pub async fn delete(&self, caller: &Caller, id: Id<LogExport>) -> Result<(), Error> {
        let member = authorized(caller)?;
        if self.repository.delete(caller.organization, member, id).await? {
            Ok(())
        } else {
            Err(MISSING)
        }
    }
}

/// Returns the member who calls, if the member may read the log. An API key has no member who would
/// return to the export.
fn authorized(caller: &Caller) -> Result<Id<User>, Denied> {
    caller.authorize(Permission::ReadTexts)?;
    match caller.identity {
        Identity::Member { user, .. } | Identity::Impersonator { user } => Ok(user),
        Identity::ApiKey { .. } => Err(Denied::ApiKey),
    }
}

fn refused(error: LogExportError) -> Error {
    match error {
        LogExportError::NoRoom(NoRoomForLogExport::Preparing) => {
            Error::Conflict(TOO_MANY_LOG_EXPORTS)
        }
        LogExportError::NoRoom(NoRoomForLogExport::Kept) => {
            Error::Conflict(LOG_EXPORT_LIMIT_REACHED)
        }
        LogExportError::Store(error) => error.into(),
    }
}

#[cfg(test)]
mod tests;
