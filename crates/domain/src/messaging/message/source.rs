//! Sources of messages.

use crate::shared::id::Id;

/// Marks the identifiers of campaigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignMarker {}

/// Marks the identifiers of triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerMarker {}

/// Marks the identifiers of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactMarker {}

/// Identifier of a campaign.
pub type CampaignId = Id<CampaignMarker>;

/// Identifier of a trigger: one firing of an event.
pub type TriggerId = Id<TriggerMarker>;

/// Identifier of a contact.
pub type ContactId = Id<ContactMarker>;

/// Source of a message that was not sent on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A campaign.
    Campaign(CampaignId),
    /// A trigger; other channels may be tried if this message fails.
    Trigger(TriggerId),
}

impl Source {
    /// Returns the campaign; `None` if the source is a trigger.
    pub const fn campaign(self) -> Option<CampaignId> {
        match self {
            Self::Campaign(id) => Some(id),
            Self::Trigger(_) => None,
        }
    }

    /// Returns the trigger; `None` if the source is a campaign.
    pub const fn trigger(self) -> Option<TriggerId> {
        match self {
            Self::Trigger(id) => Some(id),
            Self::Campaign(_) => None,
        }
    }
}
