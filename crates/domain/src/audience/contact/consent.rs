//! Consent of contacts to be written to.

use chrono::{DateTime, Utc};

use crate::shared::{fault::Faults, text};

/// The longest source of a consent, in characters.
pub const MAX_CONSENT_SOURCE: usize = 200;

/// Consent of a person to get messages, as the organization records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Time at which the person consented.
    pub at: DateTime<Utc>,
    /// Occasion or form by which the person consented, for people.
    pub source: String,
}

/// Consent as a request gives it, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsentRequest {
    /// See [`Consent::at`]. Required, and not in the future.
    pub at: Option<DateTime<Utc>>,
    /// See [`Consent::source`]. Required.
    pub source: Option<String>,
}

impl ConsentRequest {
    /// Returns the consent, or adds its faults at `path` and returns `None`.
    pub(super) fn consent(&self, path: &str, faults: &mut Faults) -> Option<Consent> {
        let (at_path, source_path) = (format!("{path}.at"), format!("{path}.source"));
        if self.at.is_none() {
            faults.add(at_path, "is required");
        }
        let Some(source) = &self.source else {
            faults.add(source_path, "is required");
            return None;
        };
        let source = faults.take(&source_path, checked_consent_source(source))?;
        Some(Consent { at: self.at?, source })
    }
}

impl From<Consent> for ConsentRequest {
    fn from(consent: Consent) -> Self {
        Self { at: Some(consent.at), source: Some(consent.source) }
    }
}

/// Checks the source of a consent. Returns it without the spaces around it.
pub fn checked_consent_source(source: &str) -> Result<String, String> {
    text::line(source, MAX_CONSENT_SOURCE)
}
