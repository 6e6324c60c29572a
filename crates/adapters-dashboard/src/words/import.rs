//! Imports of files, and the reasons for which rows were not imported.

use domain::audience::import::{ImportKind, ImportStatus, NotUndoable, RowError, UndoStatus};

/// Returns the fault of a row as a sentence: `“Phone” is not a valid phone number.`
pub(crate) fn row_fault(error: &RowError) -> String {
    let reason = error.reason.trim_end_matches('.');
    match &error.column {
        Some(column) => format!("“{column}” {reason}."),
        None => format!("The row {reason}."),
    }
}

words! { ImportKind:
    Self::Contacts => neutral("Contacts", "Each row is a person."),
    Self::Suppressions => neutral("Do not contact", "Each row is somebody who gets no messages."),
}

words! { ImportStatus:
    Self::Queued => waiting("Waiting", "The file is stored. Its turn comes soon."),
    Self::Processing => waiting("Importing", "Rows are being read. You can leave this page."),
    Self::Completed => good("Done", "All rows were read."),
    Self::Failed =>
        bad("Stopped", "Not all rows could be read. Upload the file again: nothing comes twice."),
}

words! { UndoStatus:
    Self::Queued => waiting("Undo waits", "No contact is deleted yet."),
    Self::Processing => waiting("Undoing", "The new contacts are being deleted."),
    Self::Completed => neutral("Undone", "The new contacts that nobody changed are deleted."),
    Self::Failed => bad("Undone in part", "It took too long. Some new contacts stay."),
}

words! { NotUndoable:
    Self::NotFinished => waiting("Not finished", "It can be undone once all rows are read."),
    Self::TooLate => neutral("Too late", "It could be undone within a day after its end."),
    Self::AlreadyUndone => neutral("Undone before", "It can be undone only once."),
}
