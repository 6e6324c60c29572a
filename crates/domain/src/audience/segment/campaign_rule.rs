//! Conditions on what became of contacts in a campaign.

use crate::messaging::message::CampaignId;

/// Condition that a campaign had one of these outcomes for a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignRule {
    /// The campaign.
    pub campaign: CampaignId,
    /// Outcomes, at least one.
    pub outcomes: Vec<CampaignOutcome>,
}

crate::closed_list! {
    /// Outcome of a campaign for a contact.
    pub enum CampaignOutcome {
        /// A provider has accepted a message of the campaign to the contact, which did not fail since.
        Sent = "SENT",
        /// The contact was passed over, or its message failed for a reason that
        /// [is a skip](crate::messaging::delivery::FailureCode::is_skip).
        Skipped = "SKIPPED",
        /// The contact's message failed for any other reason.
        Failed = "FAILED",
    }
    impl FromStr;
}

/// Place of the rules that names a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignReference {
    /// Path of the identifier in a request.
    pub path: String,
    /// The campaign.
    pub campaign: CampaignId,
}
