//! Suspension of organizations.

use chrono::{DateTime, Utc};

use crate::shared::{fault::Faults, text};

/// Maximum length of a reason, in characters.
pub const MAX_REASON: usize = 500;

/// A suspension, by which a platform administrator keeps an organization from sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspension {
    /// Time at which it began.
    pub at: DateTime<Utc>,
    /// Reason for the organization's owners.
    pub reason: String,
}

impl Suspension {
    /// Returns a suspension that begins at `at`. Fails if the reason is invalid.
    pub fn new(reason: Option<&str>, at: DateTime<Utc>) -> Result<Self, Faults> {
        let reason = match reason {
            None => Err("is required".to_owned()),
            Some(reason) => text::line(reason, MAX_REASON),
        };
        match reason {
            Ok(reason) => Ok(Self { at, reason }),
            Err(fault) => Err(Faults::field("reason", fault)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspension_has_a_reason_of_one_line() {
        let suspension = |reason| Suspension::new(reason, DateTime::UNIX_EPOCH);

        assert_eq!(suspension(Some(" It sends scams. ")).unwrap().reason, "It sends scams.");
        for reason in [None, Some(" "), Some("two\nlines"), Some("a".repeat(501).as_str())] {
            assert!(suspension(reason).unwrap_err().fields.contains_key("reason"), "{reason:?}");
        }
    }
}
