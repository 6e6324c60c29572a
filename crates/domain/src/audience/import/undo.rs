//! Undo of imports: deletion of the contacts that they created.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Import, ImportStatus};

/// Time after its end in which an import can be undone.
const UNDONE_WITHIN: TimeDelta = TimeDelta::days(1);
/// Time after its upload in which an import can be undone. It is known for a day longer which contacts
/// it created.
const KNOWN_FOR: TimeDelta = TimeDelta::days(6);

crate::closed_list! {
    /// Progress of an undo.
    pub enum UndoStatus {
        /// No contact is deleted yet.
        Queued = "QUEUED",
        /// Some contacts are deleted.
        Processing = "PROCESSING",
        /// All contacts that nobody touched are deleted.
        Completed = "COMPLETED",
        /// It took so long that the record of the contacts was deleted first. What was done stays so.
        Failed = "FAILED",
    }
    impl FromStr else "is not known to imports";
}

/// Reason for which an import cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotUndoable {
    /// Some of its rows are not processed.
    NotFinished,
    /// It ended more than a day ago.
    TooLate,
    /// An undo was requested before.
    AlreadyUndone,
}

impl Import {
    /// Fails if the import cannot be undone at `now`.
    pub fn undoable(&self, now: DateTime<Utc>) -> Result<(), NotUndoable> {
        let is_finished = matches!(self.status, ImportStatus::Completed | ImportStatus::Failed);
        match self.completed_at {
            Some(_) if self.undo_status.is_some() => Err(NotUndoable::AlreadyUndone),
            Some(at) if is_finished => {
                let is_late = now - at > UNDONE_WITHIN || now - self.created_at > KNOWN_FOR;
                if is_late { Err(NotUndoable::TooLate) } else { Ok(()) }
            }
            _ => Err(NotUndoable::NotFinished),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{audience::import::ImportKind, shared::id::Id};

    const UPLOADED: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn import(status: ImportStatus, completed_after: Option<TimeDelta>) -> Import {
        let organization = Id::new(UPLOADED);
        Import {
            id: Id::new_in(UPLOADED, organization),
            organization,
            kind: ImportKind::Contacts,
            file_name: None,
            status,
            total_rows: 1,
            created: 1,
            updated: 0,
            failed: 0,
            fixed_lines: 0,
            consent_source: None,
            same_as: None,
            undo_status: None,
            undone: 0,
            undone_at: None,
            created_at: UPLOADED,
            completed_at: completed_after.map(|after| UPLOADED + after),
        }
    }

    #[test]
    fn an_import_can_be_undone_for_a_day_after_its_end() {
        let hour = TimeDelta::hours(1);
        for (completed_after, asked_after, expected) in [
            (hour, hour * 2, Ok(())),
            (hour, hour * 25, Ok(())),
            (hour, hour * 25 + TimeDelta::milliseconds(1), Err(NotUndoable::TooLate)),
            (hour * 140, hour * 144, Ok(())),
            (hour * 140, hour * 145, Err(NotUndoable::TooLate)),
        ] {
            for status in [ImportStatus::Completed, ImportStatus::Failed] {
                let import = import(status, Some(completed_after));
                let asked = import.undoable(UPLOADED + asked_after);
                assert_eq!(asked, expected, "{completed_after}, {asked_after}");
            }
        }
    }

    #[test]
    fn an_import_is_undone_once_and_when_it_is_finished() {
        let running = import(ImportStatus::Processing, None);
        assert_eq!(running.undoable(UPLOADED), Err(NotUndoable::NotFinished));

        for undo_status in UndoStatus::ALL.map(Some) {
            let done = import(ImportStatus::Completed, Some(TimeDelta::zero()));
            let undone = Import { undo_status, ..done };
            assert_eq!(undone.undoable(UPLOADED), Err(NotUndoable::AlreadyUndone));
        }
    }
}
