//! Reading of the next part of a file of contacts while a part is written.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use domain::{
    audience::import::{ContactRow, ContactTable, Import, Row},
    shared::id::Id,
};
use ports::audience::imports::LeasedChunk;

/// Runs a piece of work beside the caller.
pub type Spawn = Arc<dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync>;

/// Part of a file that is read before it is claimed.
#[derive(Clone)]
pub(super) struct ReadAhead {
    spawn: Spawn,
    read: Arc<Mutex<Option<ReadPart>>>,
}

/// Rows of a part.
pub(super) struct ReadPart {
    import: Id<Import>,
    number: u32,
    rows: Vec<Row<ContactRow>>,
}

impl ReadAhead {
    pub(super) fn new(spawn: Spawn) -> Self {
        Self { spawn, read: Arc::default() }
    }

    /// Begins to read the part after `chunk`, if there is one.
    pub(super) fn begin(&self, chunk: &LeasedChunk, now: DateTime<Utc>) {
        let Some(next) = chunk.next.clone() else { return };
        // A header that cannot be read fails the import when its part is written.
        let Ok(table) = ContactTable::new(chunk.layout.clone()) else { return };
        let table = table.with_consent(chunk.consent.clone());
        let (import, organization) = (chunk.import, chunk.organization);
        let ahead = self.clone();
        (self.spawn)(Box::new(move || {
            let rows = table.rows(&next, organization, now);
            *ahead.lock() = Some(ReadPart { import, number: next.number, rows });
        }));
    }

    /// Takes the part that was read last.
    pub(super) fn take(&self) -> Option<ReadPart> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<ReadPart>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadPart {
    /// Returns the rows if they are those of `chunk`.
    pub(super) fn rows_of(self, chunk: &LeasedChunk) -> Option<Vec<Row<ContactRow>>> {
        let is_same = self.import == chunk.import && self.number == chunk.chunk.number;
        is_same.then_some(self.rows)
    }
}
