//! Priorities: what is delivered before what, and whose turn it is.

mod queue;
mod turns;
mod urgent;

pub(crate) use self::{queue::TURNS_OF_THE_LAST, turns::Turns};
pub use self::{
    queue::{PriorityQueue, QueueKey},
    urgent::UrgentAllowance,
};
use crate::shared::category::Category;

/// A class of urgency. Lower priorities are served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// One-time passwords.
    Otp,
    /// Alerts.
    Alert,
    /// Single messages.
    Single,
    /// Messages of a bulk request.
    Bulk,
    /// Messages of a campaign.
    Campaign,
    /// Messages that only rehearse.
    Sandbox,
}

/// How a message came to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On its own.
    Single,
    /// In a bulk request.
    Bulk,
    /// From a campaign.
    Campaign,
}

/// What a message waits for, as a number: messages that the same providers may take have the same.
/// They wait in one line, and other lines are served while that one cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub i32);

impl Line {
    /// The line of those that need no place at a provider.
    pub const FREE: Self = Self(0);
}

impl Priority {
    /// Every priority, most urgent first.
    pub const ALL: [Self; 6] =
        [Self::Otp, Self::Alert, Self::Single, Self::Bulk, Self::Campaign, Self::Sandbox];

    /// The priority of a message of `category` that came by `origin`. A campaign never goes before what
    /// was sent to one person, whatever it calls itself.
    pub const fn of(category: Category, origin: Origin) -> Self {
        match (category, origin) {
            (_, Origin::Campaign) => Self::Campaign,
            (Category::Otp, _) => Self::Otp,
            (Category::Alert, _) => Self::Alert,
            (_, Origin::Single) => Self::Single,
            (_, Origin::Bulk) => Self::Bulk,
        }
    }

    /// The priority of a message that is urgent by its category, once its organization has sent more of
    /// such than it may send before all others.
    #[must_use]
    pub const fn beyond_allowance(self) -> Self {
        match self {
            Self::Otp | Self::Alert => Self::Single,
            priority => priority,
        }
    }

    /// The place in the order of urgency, as the database keeps it.
    pub const fn rank(self) -> i16 {
        match self {
            Self::Otp => 0,
            Self::Alert => 1,
            Self::Single => 2,
            Self::Bulk => 3,
            Self::Campaign => 4,
            Self::Sandbox => 5,
        }
    }

    /// The priority of that rank.
    pub fn ranked(rank: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.rank() == rank)
    }
}
