//! Exports of the delivery log that are written in the background and kept for a day.
//!
//! ```
//! use domain::messaging::log_export::{HeldLogExports, MAX_PREPARING};
//!
//! assert!(HeldLogExports::default().find_room().is_ok());
//! assert!(HeldLogExports { preparing: MAX_PREPARING, kept: 0 }.find_room().is_err());
//! ```

mod text;

use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

pub use self::text::{ExportText, MAX_PART};
use crate::{
    identity::{organization::Organization, user::User},
    messaging::delivery_log::LogFilter,
    shared::id::Id,
};

/// Time for which a file, or the reason for its failure, is kept after the end of the work.
pub const KEPT: TimeDelta = TimeDelta::hours(24);
/// Maximum number of exports of a member that are being prepared.
pub const MAX_PREPARING: u64 = 3;
/// Maximum number of exports of an organization that are kept, with those that are being prepared.
pub const MAX_KEPT: u64 = 20;
/// Maximum size of a file as it is stored, which is compressed, in bytes.
pub const MAX_STORED: u64 = 200_000_000;

/// Export of the messages of the delivery log that fit a filter, for the member who asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogExport {
    /// Identifier.
    pub id: Id<LogExport>,
    /// Organization that owns the log.
    pub organization: Id<Organization>,
    /// Member who asked for it, and alone sees it.
    pub created_by: Id<User>,
    /// Messages that it is about.
    pub filter: LogFilter,
    /// State of the work.
    pub state: LogExportState,
    /// Number of messages that were written so far.
    pub rows: u64,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
}

/// State of a [`LogExport`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogExportState {
    /// Its file is being written.
    Preparing,
    /// Its file is complete.
    Ready(LogFile),
    /// It was given up, and has no file.
    Failed {
        /// Reason for the failure.
        failure: LogExportFailure,
        /// Time until which that is shown.
        kept_until: DateTime<Utc>,
    },
}

/// Complete file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogFile {
    /// Size, as it is downloaded.
    pub bytes: u64,
    /// Number of its parts.
    pub parts: u32,
    /// Time until which it is kept.
    pub kept_until: DateTime<Utc>,
}

crate::closed_list! {
    /// Name of a [`LogExportState`].
    pub enum LogExportStatus {
        /// Its file is being written.
        Preparing = "PREPARING",
        /// Its file is complete.
        Ready = "READY",
        /// It was given up.
        Failed = "FAILED",
    }
    impl FromStr else "is not known";
}

crate::closed_list! {
    /// Reason for which a [`LogExport`] was given up.
    #[derive(Error)]
    pub enum LogExportFailure {
        /// The file would exceed [`MAX_STORED`].
        #[error(
            "the export is larger than 200 MB when it is compressed; ask for less, such as a shorter time"
        )]
        TooLarge = "TOO_LARGE",
        /// A part could not be written, in many attempts.
        #[error("the service failed to write the export; ask for it again")]
        GivenUp = "GIVEN_UP",
    }
    impl FromStr else "is not known";
}

/// Exports that are kept when another one is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeldLogExports {
    /// Number of exports of the member that are being prepared.
    pub preparing: u64,
    /// Number of exports of the organization.
    pub kept: u64,
}

/// Limit that leaves no room for another export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoRoomForLogExport {
    /// The member has [`MAX_PREPARING`] exports that are being prepared.
    #[error("three exports of the member are being prepared")]
    Preparing,
    /// The organization has [`MAX_KEPT`] exports.
    #[error("the organization has twenty exports")]
    Kept,
}

impl LogExport {
    /// True if it is still shown at that time.
    pub fn is_kept(&self, now: DateTime<Utc>) -> bool {
        match self.state {
            LogExportState::Preparing => true,
            LogExportState::Ready(LogFile { kept_until, .. })
            | LogExportState::Failed { kept_until, .. } => now < kept_until,
        }
    }
}

impl HeldLogExports {
    /// Fails if a limit leaves no room for another export.
    pub fn find_room(self) -> Result<(), NoRoomForLogExport> {
        if self.preparing >= MAX_PREPARING {
            Err(NoRoomForLogExport::Preparing)
        } else if self.kept >= MAX_KEPT {
            Err(NoRoomForLogExport::Kept)
        } else {
            Ok(())
        }
    }
}

impl LogExportState {
    /// Name of the state.
    pub const fn status(&self) -> LogExportStatus {
        match self {
            Self::Preparing => LogExportStatus::Preparing,
            Self::Ready(_) => LogExportStatus::Ready,
            Self::Failed { .. } => LogExportStatus::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_000_000_000);

    fn export(state: LogExportState) -> LogExport {
        let organization = Id::new(NOW);
        LogExport {
            id: Id::new_in(NOW, organization),
            organization,
            created_by: Id::new(NOW),
            filter: LogFilter::default(),
            state,
            rows: 0,
            created_at: NOW,
        }
    }

    #[test]
    fn an_export_is_shown_until_the_end_of_its_life() {
        let file = LogFile { bytes: 1, parts: 1, kept_until: NOW + KEPT };
        let failure = LogExportFailure::TooLarge;
        for state in [
            LogExportState::Ready(file),
            LogExportState::Failed { failure, kept_until: NOW + KEPT },
        ] {
            let export = export(state);
            assert!(export.is_kept(NOW + KEPT - TimeDelta::seconds(1)), "{state:?}");
            assert!(!export.is_kept(NOW + KEPT), "{state:?}");
        }
        assert!(export(LogExportState::Preparing).is_kept(NOW + TimeDelta::days(7)));
    }

    #[test]
    fn there_is_room_below_both_limits() {
        let room = |preparing, kept| HeldLogExports { preparing, kept }.find_room();

        assert_eq!(room(MAX_PREPARING - 1, MAX_KEPT - 1), Ok(()));
        assert_eq!(room(MAX_PREPARING, 3), Err(NoRoomForLogExport::Preparing));
        assert_eq!(room(0, MAX_KEPT), Err(NoRoomForLogExport::Kept));
    }

    #[test]
    fn a_failure_says_what_to_do() {
        let (words, limit) = (LogExportFailure::TooLarge.to_string(), MAX_STORED / 1_000_000);
        assert!(words.contains(&format!("{limit} MB")), "{words}");
        for failure in LogExportFailure::ALL {
            assert!(failure.to_string().contains("; ask for"), "{failure:?}");
        }
    }
}
