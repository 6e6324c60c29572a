//! Priorities: order of delivery, and turns of organizations.
//!
//! ```
//! use domain::{
//!     messaging::priority::{Origin, Priority},
//!     shared::category::Category,
//! };
//!
//! assert_eq!(Priority::of(Category::Otp, Origin::Single), Priority::Otp);
//! assert!(Priority::Otp < Priority::Campaign, "codes go first");
//! ```

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
    /// Messages in the sandbox.
    Sandbox,
}

/// Origin of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A single request.
    Single,
    /// A bulk request.
    Bulk,
    /// A campaign.
    Campaign,
}

/// Number of the provider queue in which a message waits: messages that the same providers may take
/// share one. Other queues are served while that one cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderQueue(pub i32);

impl ProviderQueue {
    /// Queue of messages that need no place at a provider.
    pub const FREE: Self = Self(0);
}

impl Priority {
    /// Every priority, most urgent first.
    pub const ALL: [Self; 6] =
        [Self::Otp, Self::Alert, Self::Single, Self::Bulk, Self::Campaign, Self::Sandbox];

    /// Returns the priority of a message of `category` that came by `origin`. A campaign never goes
    /// before messages sent to one person, whatever its category.
    pub const fn of(category: Category, origin: Origin) -> Self {
        match (category, origin) {
            (_, Origin::Campaign) => Self::Campaign,
            (Category::Otp, _) => Self::Otp,
            (Category::Alert, _) => Self::Alert,
            (_, Origin::Single) => Self::Single,
            (_, Origin::Bulk) => Self::Bulk,
        }
    }

    /// Returns the priority of a message that is urgent by its category, once its organization has
    /// used up its allowance of urgent messages.
    #[must_use]
    pub const fn beyond_allowance(self) -> Self {
        match self {
            Self::Otp | Self::Alert => Self::Single,
            priority => priority,
        }
    }

    /// Place in the order of urgency, as stored in the database.
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

    /// Returns the priority of the given rank.
    pub fn ranked(rank: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.rank() == rank)
    }
}
