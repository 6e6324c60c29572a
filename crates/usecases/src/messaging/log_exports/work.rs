//! Background work on exports, some lines at a time.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::TimeDelta;
use domain::messaging::{
    delivery_log::csv,
    log_export::{ExportText, LogExportFailure, MAX_STORED},
};
use futures_util::FutureExt;
use ports::{
    messaging::{
        delivery_logs::DeliveryLogRepository,
        log_exports::{Appended, ExportedLines, LeasedLogExport, LogExportQueue},
    },
    shared::store::StoreError,
};

use crate::{messaging::delivery_logs::Export, shared::panics};

/// Size of the lines after which a turn ends, in bytes: what is read with the last of them usually fits
/// into the same part.
const ENOUGH: usize = 600_000;
/// Maximum number of looks at the log in a turn: a filter that few messages fit must not outlast the
/// lease.
const LOOKS: usize = 10;
/// Delay until the next attempt at lines that could not be written, and number of attempts.
const RETRY: TimeDelta = TimeDelta::seconds(30);
const MAX_ATTEMPTS: u32 = 20;

/// Worker of exports. Any number of instances may work at once.
#[derive(Clone)]
pub struct LogExportWork {
    queue: Arc<dyn LogExportQueue>,
    log: Arc<dyn DeliveryLogRepository>,
}

impl LogExportWork {
    /// Creates a worker of `queue`, which reads `log`.
    pub fn new(queue: Arc<dyn LogExportQueue>, log: Arc<dyn DeliveryLogRepository>) -> Self {
        Self { queue, log }
    }

    /// Writes the next lines of the export that has waited longest; returns false if there is none. The
    /// export is returned to the queue afterwards, so exports take turns.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.queue.claim().await? else { return Ok(false) };
        let written = AssertUnwindSafe(self.write(&leased)).catch_unwind().await;
        let written = written.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = written {
            tracing::warn!(
                %error, export = %leased.id, organization = %leased.organization,
                "failed to write a part of an export of the log"
            );
            self.put_off(&leased).await?;
        }
        Ok(true)
    }

    async fn write(&self, leased: &LeasedLogExport) -> Result<(), StoreError> {
        let lines = self.read(leased).await?;
        match self.queue.append(leased, &lines, MAX_STORED).await? {
            Appended::Done => Ok(()),
            Appended::TooLarge => self.queue.fail(leased, LogExportFailure::TooLarge).await,
        }
    }

    /// Reads the next lines.
    async fn read(&self, leased: &LeasedLogExport) -> Result<ExportedLines, StoreError> {
        let mut text = ExportText::default();
        if leased.parts == 0 {
            text.push(&csv::header());
        }
        let mut rows = 0;
        let (log, filter) = (Arc::clone(&self.log), leased.filter.clone());
        let mut export = Export::resumed(log, leased.organization, filter, leased.position);
        for _ in 0..LOOKS {
            for message in export.look().await? {
                text.push(&csv::line(message));
                rows += 1;
            }
            if export.position().is_none() || text.bytes() >= ENOUGH {
                break;
            }
        }
        Ok(ExportedLines { parts: text.into_parts(), rows, next: export.position() })
    }

    async fn put_off(&self, leased: &LeasedLogExport) -> Result<(), StoreError> {
        if leased.failures + 1 >= MAX_ATTEMPTS {
            return self.queue.fail(leased, LogExportFailure::GivenUp).await;
        }
        self.queue.put_off(leased, RETRY).await
    }
}
