//! Figures of a campaign: what became of its messages, and what they cost.

use std::cmp::Reverse;

use super::{Campaign, RecipientReason};
use crate::{
    messaging::delivery::{FailureCode, Status},
    shared::money::Money,
};

/// A campaign and the states of its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignProgress {
    /// The campaign.
    pub campaign: Campaign,
    /// Number of its messages in each state.
    pub counts: CampaignCounts,
}

/// Number of a campaign's messages in each state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CampaignCounts {
    /// Messages that wait.
    pub queued: u64,
    /// Messages for which it is not yet known if a provider has them.
    pub pending: u64,
    /// Messages that a provider has accepted.
    pub sent: u64,
    /// Messages that were delivered.
    pub delivered: u64,
    /// Messages that failed, for whatever reason.
    pub failed: u64,
    /// The failed messages by their reason.
    pub failures: Vec<FailureCount>,
    /// Price of the messages that did not fail. The others are refunded.
    pub cost: Money,
}

/// Number of messages that failed for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureCount {
    /// Reason.
    pub code: FailureCode,
    /// Number of messages.
    pub messages: u64,
}

/// Number of contacts that a campaign did not reach for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReasonCount {
    /// Reason.
    pub reason: RecipientReason,
    /// Number of contacts.
    pub count: u64,
}

impl CampaignCounts {
    /// Adds messages in this state, and their price.
    pub fn add(&mut self, status: Status, messages: u64, price: Money) {
        let count = match status {
            Status::Queued => &mut self.queued,
            Status::Pending => &mut self.pending,
            Status::Sent => &mut self.sent,
            Status::Delivered => &mut self.delivered,
            Status::Failed => &mut self.failed,
        };
        *count += messages;
        if status != Status::Failed {
            self.cost += price;
        }
    }

    /// Returns the number of messages that failed because nothing was to be sent to the recipient.
    fn skipped(&self) -> u64 {
        let skipped = self.failures.iter().filter(|failure| failure.code.is_skip());
        skipped.map(|failure| failure.messages).sum()
    }
}

impl CampaignProgress {
    /// Returns the number of messages that a provider has accepted and that did not fail.
    pub fn sent(&self) -> u64 {
        self.counts.sent + self.counts.delivered
    }

    /// Returns the number of messages that failed although they were to be sent.
    pub fn failed(&self) -> u64 {
        self.counts.failed.saturating_sub(self.counts.skipped())
    }

    /// Returns the number of contacts to whom nothing was to be sent: they have no address, are
    /// suppressed, or lack a value that the text needs.
    pub fn skipped(&self) -> u64 {
        self.campaign.unreachable + self.counts.skipped()
    }

    /// Returns the number of messages still to be handed over.
    pub fn queued(&self) -> u64 {
        self.counts.queued + self.counts.pending
    }

    /// Returns the number of contacts that have a message, or were skipped.
    pub fn passed(&self) -> u64 {
        self.queued() + self.sent() + self.counts.failed + self.campaign.unreachable
    }

    /// Returns the numbers of contacts that were skipped or not reached by their reason, most
    /// contacts first.
    pub fn by_reason(&self) -> Vec<ReasonCount> {
        let failures = self.counts.failures.iter().map(|failure| ReasonCount {
            reason: RecipientReason::Failure(failure.code),
            count: failure.messages,
        });
        let mut reasons: Vec<ReasonCount> = failures.filter(|reason| reason.count > 0).collect();
        if self.campaign.unreachable > 0 {
            let (reason, count) = (RecipientReason::NoAddress, self.campaign.unreachable);
            reasons.push(ReasonCount { reason, count });
        }
        reasons.sort_by_key(|reason| (Reverse(reason.count), reason.reason.as_str()));
        reasons
    }
}
