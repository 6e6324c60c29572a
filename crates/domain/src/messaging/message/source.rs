//! Sources of messages.

use crate::{
    outreach::{campaign::Campaign, trigger::Trigger},
    shared::id::Id,
};

/// Source of a message that was not sent on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A campaign.
    Campaign(Id<Campaign>),
    /// An event that occurred; other channels may be tried if this message fails.
    Trigger(Id<Trigger>),
}

impl Source {
    /// Returns the campaign, if it is one.
    pub const fn campaign(self) -> Option<Id<Campaign>> {
        match self {
            Self::Campaign(id) => Some(id),
            Self::Trigger(_) => None,
        }
    }

    /// Returns the event, if it is one.
    pub const fn trigger(self) -> Option<Id<Trigger>> {
        match self {
            Self::Trigger(id) => Some(id),
            Self::Campaign(_) => None,
        }
    }
}
