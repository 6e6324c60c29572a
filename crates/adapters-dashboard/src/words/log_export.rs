//! Exports of the delivery log.

use domain::messaging::log_export::{LogExportFailure, LogExportStatus};

words! { LogExportStatus:
    Self::Preparing =>
        waiting("Being prepared",
                "The file is being written. You can leave this page and come back."),
    Self::Ready => good("Ready", "The file is complete. You can download it."),
    Self::Failed => bad("Failed", "There is no file."),
}

words! { LogExportFailure:
    Self::TooLarge =>
        bad("Too large",
            "The file would be larger than we can keep. Ask for less, such as fewer days."),
    Self::GivenUp => bad("Not written", "The fault is ours. Ask for the file again."),
}
