//! Imports of files, and the reasons for which rows were not imported.

use domain::audience::import::{ImportKind, ImportStatus, NotUndoable, RowError, UndoStatus};

use super::{InWords, Words};

/// Returns the fault of a row as a sentence: `“Phone” is not a valid phone number.`
pub(crate) fn row_fault(error: &RowError) -> String {
    let reason = error.reason.trim_end_matches('.');
    match &error.column {
        Some(column) => format!("“{column}” {reason}."),
        None => format!("The row {reason}."),
    }
}

impl InWords for ImportKind {
    fn words(self) -> Words {
        match self {
            Self::Contacts => Words::neutral("Contacts", "Each row is a person."),
            Self::Suppressions => {
                Words::neutral("Do not contact", "Each row is somebody who gets no messages.")
            }
        }
    }
}

impl InWords for ImportStatus {
    fn words(self) -> Words {
        match self {
            Self::Queued => Words::waiting("Waiting", "The file is stored. Its turn comes soon."),
            Self::Processing => {
                Words::waiting("Importing", "Rows are being read. You can leave this page.")
            }
            Self::Completed => Words::good("Done", "All rows were read."),
            Self::Failed => Words::bad(
                "Stopped",
                "Not all rows could be read. Upload the file again: nothing comes twice.",
            ),
        }
    }
}

impl InWords for UndoStatus {
    fn words(self) -> Words {
        match self {
            Self::Queued => Words::waiting("Undo waits", "No contact is deleted yet."),
            Self::Processing => Words::waiting("Undoing", "The new contacts are being deleted."),
            Self::Completed => {
                Words::neutral("Undone", "The new contacts that nobody changed are deleted.")
            }
            Self::Failed => {
                Words::bad("Undone in part", "It took too long. Some new contacts stay.")
            }
        }
    }
}

impl InWords for NotUndoable {
    fn words(self) -> Words {
        match self {
            Self::NotFinished => {
                Words::waiting("Not finished", "It can be undone once all rows are read.")
            }
            Self::TooLate => {
                Words::neutral("Too late", "It could be undone within a day after its end.")
            }
            Self::AlreadyUndone => Words::neutral("Undone before", "It can be undone only once."),
        }
    }
}
