//! Suppressions: who gets no more messages of an organization.

use chrono::{DateTime, Utc};

use crate::{
    address::Address, category::Category, channel::Channel, id::Id, organization::Organization,
};

/// An entry of an organization's suppression list that a recipient or a vendor caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOut {
    /// Whose list.
    pub organization: Id<Organization>,
    /// The channel on which nothing more is sent.
    pub channel: Channel,
    /// To whom.
    pub address: Address,
    /// Where it comes from.
    pub source: SuppressionSource,
    /// When it was made.
    pub at: DateTime<Utc>,
}

impl OptOut {
    /// What is no longer sent; `None` is everything. Who unsubscribes still gets codes and receipts.
    pub const fn category(&self) -> Option<Category> {
        match self.source {
            SuppressionSource::Unsubscribe => Some(Category::Marketing),
            _ => None,
        }
    }
}

/// What an entry of a suppression list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SuppressionSource {
    /// The organization entered it.
    Manual,
    /// The recipient wrote `STOP`.
    Stop,
    /// The recipient complained about a message.
    Complaint,
    /// The recipient unsubscribed by a link or a button.
    Unsubscribe,
    /// A vendor refused a message because the recipient wants none.
    Vendor,
}

impl SuppressionSource {
    /// Every source.
    pub const ALL: [Self; 5] =
        [Self::Manual, Self::Stop, Self::Complaint, Self::Unsubscribe, Self::Vendor];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "MANUAL",
            Self::Stop => "STOP",
            Self::Complaint => "COMPLAINT",
            Self::Unsubscribe => "UNSUBSCRIBE",
            Self::Vendor => "VENDOR",
        }
    }

    /// The reason, for people.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Manual => "entered by hand",
            Self::Stop => "the recipient wrote STOP",
            Self::Complaint => "the recipient complained about a message",
            Self::Unsubscribe => "the recipient unsubscribed",
            Self::Vendor => "the provider says that the recipient wants no messages",
        }
    }

    /// Whether the recipient's `START` lifts it.
    pub const fn is_lifted_by_start(self) -> bool {
        matches!(self, Self::Stop | Self::Vendor)
    }
}
