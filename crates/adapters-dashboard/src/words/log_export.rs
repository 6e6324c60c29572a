//! Exports of the delivery log.

use domain::messaging::log_export::{LogExportFailure, LogExportStatus};

use super::{InWords, Words};

impl InWords for LogExportStatus {
    fn words(self) -> Words {
        match self {
            Self::Preparing => Words::waiting(
                "Being prepared",
                "The file is being written. You can leave this page and come back.",
            ),
            Self::Ready => Words::good("Ready", "The file is complete. You can download it."),
            Self::Failed => Words::bad("Failed", "There is no file."),
        }
    }
}

impl InWords for LogExportFailure {
    fn words(self) -> Words {
        match self {
            Self::TooLarge => Words::bad(
                "Too large",
                "The file would be larger than we can keep. Ask for less, such as fewer days.",
            ),
            Self::GivenUp => {
                Words::bad("Not written", "The fault is ours. Ask for the file again.")
            }
        }
    }
}
