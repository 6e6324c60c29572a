//! Conditions on what became of contacts in a campaign.

use std::str::FromStr;

use thiserror::Error;

use crate::messaging::message::CampaignId;

/// Condition that a campaign had one of these outcomes for a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignRule {
    /// The campaign.
    pub campaign: CampaignId,
    /// Outcomes, at least one.
    pub outcomes: Vec<CampaignOutcome>,
}

/// Outcome of a campaign for a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignOutcome {
    /// A provider has accepted a message of the campaign to the contact, which did not fail since.
    Sent,
    /// The contact was passed over, or its message failed for a reason that
    /// [is a skip](crate::messaging::delivery::FailureCode::is_skip).
    Skipped,
    /// The contact's message failed for any other reason.
    Failed,
}

/// Place of the rules that names a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignReference {
    /// Path of the identifier in a request.
    pub path: String,
    /// The campaign.
    pub campaign: CampaignId,
}

/// The text names no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of SENT, SKIPPED, FAILED")]
pub struct UnknownOutcome;

impl CampaignOutcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Sent, Self::Skipped, Self::Failed];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "SENT",
            Self::Skipped => "SKIPPED",
            Self::Failed => "FAILED",
        }
    }
}

impl FromStr for CampaignOutcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<Self, UnknownOutcome> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text).ok_or(UnknownOutcome)
    }
}
