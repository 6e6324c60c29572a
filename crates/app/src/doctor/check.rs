//! Checks, and the findings that they lead to.

use serde_json::{Value, json};

/// Page with a section for each code.
const PAGE: &str = "docs/operations/doctor.md";

/// Check of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Code, which is also the name of its section in the documentation.
    pub code: &'static str,
    /// Rule that holds in a sound installation, in one line.
    pub rule: &'static str,
    /// Advice if the rule is broken, in one line.
    pub remedy: &'static str,
}

domain::closed_list! {
    /// Result of a check.
    #[derive(PartialOrd, Ord)]
    pub enum Status {
        /// The rule holds.
        Ok = "ok",
        /// The rule was not checked, because it does not apply or something else is missing.
        Skipped = "skipped",
        /// The rule is broken, and the service goes on.
        Warn = "warn",
        /// The rule is broken, and the service does not work or loses data.
        Fail = "fail",
    }
    impl Display;
}

/// Result of a check, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Check that led to it.
    pub check: Check,
    /// Result.
    pub status: Status,
    /// Reason in one line. It contains no secret.
    pub message: String,
}

impl Check {
    /// Returns the address of the section about this check in the documentation.
    pub fn link(&self) -> String {
        format!("{PAGE}#{}", self.code)
    }

    /// Returns the finding that the rule holds.
    pub(super) fn ok(self, message: impl Into<String>) -> Finding {
        Finding::new(self, Status::Ok, message)
    }

    /// Returns the finding that the rule was not checked.
    pub(super) fn skipped(self, reason: impl Into<String>) -> Finding {
        Finding::new(self, Status::Skipped, reason)
    }

    /// Returns the finding that the rule is broken, and the service goes on.
    pub(super) fn warn(self, message: impl Into<String>) -> Finding {
        Finding::new(self, Status::Warn, message)
    }

    /// Returns the finding that the rule is broken, and the service does not work or loses data.
    pub(super) fn fail(self, message: impl Into<String>) -> Finding {
        Finding::new(self, Status::Fail, message)
    }

    /// Returns a failure in production, and a warning in development.
    pub(super) fn broken(self, is_production: bool, message: impl Into<String>) -> Finding {
        if is_production { self.fail(message) } else { self.warn(message) }
    }
}

impl Finding {
    fn new(check: Check, status: Status, message: impl Into<String>) -> Self {
        // Vendors and servers may answer in several lines.
        let message: String = message.into();
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { check, status, message }
    }

    /// Returns the finding in the form that programs read.
    pub fn to_json(&self) -> Value {
        json!({
            "code": self.check.code,
            "status": self.status.as_str(),
            "message": self.message,
            "remedy": self.check.remedy,
            "link": self.check.link(),
        })
    }
}
