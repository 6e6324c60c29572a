//! Sender names: the names and numbers from which an organization sends.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     content::sender_name::{SenderNameRequest, SenderNameStatus},
//!     shared::{channel::Channel, id::Id},
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let (name, channel) = (Some("MyShop".to_owned()), Some(Channel::Sms));
//! let request = SenderNameRequest { name, channel, country: None };
//! let name = request.sender_name(Id::new(now), now).unwrap();
//! assert_eq!(name.status, SenderNameStatus::PendingApproval);
//! ```

mod protected;

use chrono::{DateTime, Utc};

use crate::{
    content::approval::{Approval, ApprovalContent, ApprovalKind, Verdict},
    identity::{organization::Organization, user::User},
    shared::{
        channel::Channel,
        country::Country,
        fault::Faults,
        id::Id,
        sender::{ApprovedSender, InvalidSender, Sender},
    },
};

/// Sender requested by an organization, for one channel and the recipients of one country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderName {
    /// Identifier of the sender name.
    pub id: Id<SenderName>,
    /// Organization that requested it.
    pub organization: Id<Organization>,
    /// Sender as shown to recipients.
    pub sender: Sender,
    /// Channel of the sender.
    pub channel: Channel,
    /// Country of the recipients.
    pub country: Country,
    /// Status of the approval.
    pub status: SenderNameStatus,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
}

impl SenderName {
    /// Returns the key that only one organization can have.
    pub fn claim(&self) -> String {
        self.sender.claim(self.country)
    }

    /// True if it equals `other`, so that requesting it again changes nothing.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.channel, self.country) == (other.channel, other.country)
            && self.status != SenderNameStatus::Rejected
            && self.claim() == other.claim()
    }

    /// Returns the request for its approval. `hash` identifies its content.
    pub fn approval(&self, author: Id<User>, hash: [u8; 32]) -> Approval {
        let resource = (ApprovalKind::SenderName, self.id.uuid());
        let body = format!("{} ({} to {})", self.sender, self.channel, self.country);
        let content = ApprovalContent { body, ..ApprovalContent::default() };
        let content = (self.sender.as_str().to_owned(), content, hash);
        let assessment = protected::assess(&self.sender);
        Approval {
            risk_score: assessment.score,
            issues: assessment.issues,
            ..Approval::request(self.organization, resource, content, author, self.created_at)
        }
    }
}

/// Maximum number of sender names of an organization, including rejected ones.
pub const MAX_SENDER_NAMES: usize = 100;

crate::closed_list! {
    /// Approval status of a sender name.
    pub enum SenderNameStatus {
        /// The sender name waits for a decision.
        PendingApproval = "PENDING_APPROVAL",
        /// The sender name may be used.
        Approved = "APPROVED",
        /// The sender name was rejected.
        Rejected = "REJECTED",
    }
    impl FromStr;
}

impl From<Verdict> for SenderNameStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Approved,
            Verdict::Rejected => Self::Rejected,
        }
    }
}

/// Request for a sender name, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderNameRequest {
    /// Name or number. Required.
    pub name: Option<String>,
    /// Channel of the sender. Required.
    pub channel: Option<Channel>,
    /// Country of the recipients; [`Country::GH`] if absent.
    pub country: Option<Country>,
}

impl SenderNameRequest {
    /// Returns the requested sender name, pending approval. Fails with every fault of the request.
    pub fn sender_name(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<SenderName, Faults> {
        let mut faults = Faults::default();
        let country = self.country.unwrap_or(Country::GH);
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        if self.name.is_none() {
            faults.add("name", "is required");
        }
        let asked = self.channel.zip(self.name.as_deref());
        let sender = asked.and_then(|(channel, name)| {
            let parsed = Sender::parse(channel, country, name);
            let path = match parsed {
                Err(InvalidSender::Channel(_)) => "channel",
                _ => "name",
            };
            faults.take(path, parsed).map(|sender| (channel, sender))
        });
        let name = sender.map(|(channel, sender)| SenderName {
            id: Id::new_in(now, organization),
            organization,
            sender,
            channel,
            country,
            status: SenderNameStatus::PendingApproval,
            created_at: now,
        });
        faults.require(name)
    }
}

crate::closed_list! {
    /// Rule of an installation about senders.
    pub enum SenderRule {
        /// Any sender is allowed.
        Open = "open",
        /// Only senders approved for the organization are allowed.
        Approved = "approved",
    }
    impl FromStr else "must be open or approved";
}

impl From<SenderName> for ApprovedSender {
    fn from(name: SenderName) -> Self {
        Self { sender: name.sender, channel: name.channel, country: name.country }
    }
}

#[cfg(test)]
mod tests;
