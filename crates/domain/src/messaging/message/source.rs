//! What a message belongs to.

use crate::{
    outreach::{campaign::Campaign, trigger::Trigger},
    shared::id::Id,
};

/// What a message belongs to, when it was not sent on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A campaign.
    Campaign(Id<Campaign>),
    /// An event that happened, of which other channels may tell if this message does not.
    Trigger(Id<Trigger>),
}

impl Source {
    /// The campaign, if it is one.
    pub const fn campaign(self) -> Option<Id<Campaign>> {
        match self {
            Self::Campaign(id) => Some(id),
            Self::Trigger(_) => None,
        }
    }

    /// The event that happened, if it is one.
    pub const fn trigger(self) -> Option<Id<Trigger>> {
        match self {
            Self::Trigger(id) => Some(id),
            Self::Campaign(_) => None,
        }
    }
}
