//! Background processing of imports, one part at a time.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chrono::TimeDelta;
use domain::{
    audience::import::{
        ContactRow, ContactTable, ImportKind, Row, SuppressionPlan, SuppressionTable,
    },
    identity::organization::Holding,
};
use futures_util::FutureExt;
use ports::{
    audience::imports::{ImportQueue, LeasedChunk, UndoQueue},
    shared::{clock::Clock, store::StoreError},
};

use crate::{
    Error,
    audience::contacts::OF_CONTACTS,
    shared::{bounds::Bounds, panics},
};

mod read_ahead;

use self::read_ahead::ReadAhead;
pub use self::read_ahead::Spawn;

/// Immediate repetitions of a part that conflicts with concurrent writes of the same contacts.
const REPETITIONS: u32 = 3;
/// Attempts at a part that the store refuses; the last ones spread over half an hour.
const TRIES: u32 = 10;
const MAX_DELAY: TimeDelta = TimeDelta::minutes(5);
/// Error for the organization about a part that cannot be written.
const GIVEN_UP: &str = "the service failed to write this row and those after it; import them again";

/// Worker of imports and of their undos.
#[derive(Clone)]
pub struct ImportWork {
    queue: Arc<dyn ImportQueue>,
    undos: Arc<dyn UndoQueue>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
    /// Next part of the file; `None` if each part is read when it is claimed.
    ahead: Option<ReadAhead>,
}

impl ImportWork {
    /// Creates a worker of `queue` and `undos`. `bounds` limits the contacts and suppressions of
    /// organizations. With `spawn` it reads the next part of a file of contacts while it writes one.
    pub fn new(
        queue: Arc<dyn ImportQueue>,
        undos: Arc<dyn UndoQueue>,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
        spawn: Option<Spawn>,
    ) -> Self {
        Self { queue, undos, bounds, clock, ahead: spawn.map(ReadAhead::new) }
    }

    /// Processes the part of an import, and that of an undo, that have waited longest; returns false if
    /// there is none. Each is returned to its queue after a part, so organizations take turns.
    pub async fn work_once(&self) -> Result<bool, StoreError> {
        let has_imported = self.import_once().await?;
        let has_undone = self.undo_once().await?;
        Ok(has_imported || has_undone)
    }

    /// Undoes a part of an import; returns false if there is nothing to undo.
    async fn undo_once(&self) -> Result<bool, StoreError> {
        let Some(undo) = self.undos.claim_undo().await? else { return Ok(false) };
        let undone = AssertUnwindSafe(self.undos.undo_part(&undo)).catch_unwind().await;
        let undone = undone.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = undone {
            tracing::warn!(%error, import = %undo.import, "failed to undo a part of an import");
            self.undos.put_off_undo(&undo, delay_after(undo.failures)).await?;
        }
        Ok(true)
    }

    /// Processes a part of an import; returns false if there is none.
    async fn import_once(&self) -> Result<bool, StoreError> {
        // Taken first: after a failed claim the rows would be older than their identifiers should be.
        let ahead = self.ahead.as_ref().and_then(ReadAhead::take);
        let Some(chunk) = self.queue.claim().await? else { return Ok(false) };
        let rows = ahead.and_then(|part| part.rows_of(&chunk));
        let written = AssertUnwindSafe(self.write(&chunk, rows)).catch_unwind().await;
        let written = written.unwrap_or_else(|panic| Err(panics::failure(panic.as_ref())));
        if let Err(error) = written {
            tracing::warn!(%error, import = %chunk.import, row = chunk.chunk.first_row,
                "failed to import a part of a file");
            self.put_off(&chunk, &error).await?;
        }
        Ok(true)
    }

    /// Writes a part, whose rows may have been read before.
    async fn write(
        &self,
        chunk: &LeasedChunk,
        mut rows: Option<Vec<Row<ContactRow>>>,
    ) -> Result<(), StoreError> {
        let wanted: &[Holding] = match chunk.kind {
            ImportKind::Contacts => &OF_CONTACTS,
            ImportKind::Suppressions => &[Holding::Suppressions],
        };
        match self.bounds.find_room(chunk.organization, wanted).await {
            Err(Error::Store(error)) => return Err(error),
            // Updates of existing rows are refused, too: telling them apart would take another read.
            Err(full) => return self.queue.fail(chunk, &full.to_string()).await,
            Ok(()) => {}
        }
        let mut repetitions = 0;
        loop {
            let written = match chunk.kind {
                ImportKind::Contacts => self.write_contacts(chunk, rows.take()).await,
                ImportKind::Suppressions => self.write_suppressions(chunk).await,
            };
            match written {
                Err(StoreError::Conflict { .. }) if repetitions < REPETITIONS => repetitions += 1,
                written => return written,
            }
        }
    }

    async fn write_contacts(
        &self,
        chunk: &LeasedChunk,
        rows: Option<Vec<Row<ContactRow>>>,
    ) -> Result<(), StoreError> {
        match ContactTable::new(chunk.layout.clone()) {
            Ok(table) => {
                let table = table.with_consent(chunk.consent.clone());
                // After a conflict the contacts need new identifiers, so the part is read anew.
                let rows = rows.unwrap_or_else(|| {
                    table.rows(&chunk.chunk, chunk.organization, self.clock.now())
                });
                // Afterwards, since identifiers are in the order of time.
                if let Some(ahead) = &self.ahead {
                    ahead.begin(chunk, self.clock.now());
                }
                self.queue.write_contacts(chunk, &rows).await
            }
            Err(faults) => self.queue.fail(chunk, &faults.to_string()).await,
        }
    }

    async fn write_suppressions(&self, chunk: &LeasedChunk) -> Result<(), StoreError> {
        match SuppressionTable::new(chunk.layout.clone()) {
            Ok(table) => {
                let rows = table.rows(&chunk.chunk, chunk.organization, self.clock.now());
                self.queue.write_suppressions(chunk, &SuppressionPlan::of(rows)).await
            }
            Err(faults) => self.queue.fail(chunk, &faults.to_string()).await,
        }
    }

    /// Retries a part later; an unavailable store recovers. Fails the import after repeated refusals.
    async fn put_off(&self, chunk: &LeasedChunk, error: &StoreError) -> Result<(), StoreError> {
        let is_away = matches!(error, StoreError::Unavailable(_));
        if !is_away && chunk.failures + 1 >= TRIES {
            return self.queue.fail(chunk, GIVEN_UP).await;
        }
        self.queue.put_off(chunk, delay_after(chunk.failures)).await
    }
}

/// Returns the delay until the next attempt after so many failed ones and another.
fn delay_after(failures: u32) -> TimeDelta {
    TimeDelta::seconds(1 << failures.min(20)).min(MAX_DELAY)
}

#[cfg(test)]
mod tests;
