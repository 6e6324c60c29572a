//! Campaigns: one text to many contacts.

mod content;
mod json;
mod preview;
mod request;
mod status;
mod writer;

use chrono::{DateTime, Utc};

use self::request::check_sender;
pub use self::{
    content::CampaignContent,
    preview::{CampaignPreview, CampaignTotal, PREVIEWED_EXACTLY, SAMPLES, SampleMessage},
    request::{CampaignRequest, CampaignUpdate},
    status::{CampaignAction, CampaignStatus, PausedReason, UnknownCampaignStatus},
    writer::{CampaignMessage, CampaignWriter},
};
use crate::{
    audience::segment::{Rules, Segment},
    content::{
        approval::{Approval, ApprovalContent, ApprovalKind},
        template::Template,
    },
    identity::{organization::Organization, user::User},
    messaging::delivery::Status,
    platform::policy::Policy,
    shared::{channel::Channel, fault::Faults, id::Id, text_format::TextFormat},
};

/// How many campaigns that have not ended an organization may have.
pub const MAX_UNFINISHED: u64 = 1_000;
/// After how many days a campaign that somebody paused, or that the wallet cannot pay, is cancelled.
pub const MAX_PAUSED_DAYS: i64 = 30;

/// One text to many contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign {
    /// Which campaign this is.
    pub id: Id<Campaign>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// What it is called.
    pub name: String,
    /// How its messages travel.
    pub channel: Channel,
    /// The template whose text it sends.
    pub template: Option<Id<Template>>,
    /// Its own subject line, with placeholders.
    pub subject: Option<String>,
    /// Its own text, with placeholders.
    pub body: Option<String>,
    /// The format of its own text, if its writer said so.
    pub format: Option<TextFormat>,
    /// The sender that its messages ask for.
    pub sender: Option<String>,
    /// Whom it is for; all contacts, if absent.
    pub segment: Option<Id<Segment>>,
    /// When it is to start; when it is confirmed, if absent or over by then.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// How often it was edited, and one.
    pub version: i32,
    /// How far it has come.
    pub status: CampaignStatus,
    /// Why it is paused, if it is.
    pub paused_reason: Option<PausedReason>,
    /// Who made it.
    pub created_by: Id<User>,
    /// Who made or edited it, each once.
    pub authors: Vec<Id<User>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last edited, or its status changed.
    pub updated_at: DateTime<Utc>,
    /// When it started.
    pub started_at: Option<DateTime<Utc>>,
    /// When it was completed.
    pub completed_at: Option<DateTime<Utc>>,
    /// How many contacts there were when it started.
    pub audience: Option<u64>,
    /// How many of them had no address for its channel.
    pub unreachable: u64,
}

/// What somebody confirmed when a campaign was sent. Later edits of its template or of the rules of
/// its segment change nothing of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// What it says.
    pub content: CampaignContent,
    /// The SHA-256 of that.
    pub hash: [u8; 32],
    /// Who belongs to its segment, if that is dynamic.
    pub rules: Option<Rules>,
}

/// A campaign and what became of its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignProgress {
    /// The campaign.
    pub campaign: Campaign,
    /// How many of its messages are in which state.
    pub counts: CampaignCounts,
}

/// How many messages of a campaign are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CampaignCounts {
    /// Those that wait.
    pub queued: u64,
    /// Those of which nobody knows yet whether a provider has them.
    pub pending: u64,
    /// Those that a provider has.
    pub sent: u64,
    /// Those that arrived.
    pub delivered: u64,
    /// Those that failed.
    pub failed: u64,
}

impl Campaign {
    /// What is wrong with its sender, in an organization for which that policy holds by now.
    pub fn sender_faults(&self, policy: &Policy) -> Faults {
        let mut faults = Faults::default();
        if let Some(sender) = &self.sender {
            faults.take("senderId", check_sender(self.channel, sender, policy));
        }
        faults
    }
}

impl Confirmation {
    /// The approval that what was confirmed needs, if it does: `author` asks for it. Nobody who wrote
    /// the text decides about it.
    pub fn needed_approval(
        &self,
        campaign: &Campaign,
        author: Id<User>,
        now: DateTime<Utc>,
    ) -> Option<Approval> {
        let assessment = self.content.assess();
        if !assessment.requires_approval() {
            return None;
        }
        let CampaignContent { subject, body, vendor_template, value_rules, .. } =
            self.content.clone();
        let allows_long_values = value_rules.allows_long;
        let content = ApprovalContent { subject, body, vendor_template, allows_long_values };
        let resource = (ApprovalKind::Campaign, campaign.id.uuid());
        let text = (campaign.name.clone(), content, self.hash);
        let mut approval = Approval::request(campaign.organization, resource, text, author, now);
        approval.risk_score = assessment.score;
        approval.issues = assessment.issues;
        approval.authors.extend(campaign.authors.iter().filter(|it| **it != author));
        Some(approval)
    }
}

impl CampaignCounts {
    /// Adds messages in a state.
    pub fn add(&mut self, status: Status, messages: u64) {
        let count = match status {
            Status::Queued => &mut self.queued,
            Status::Pending => &mut self.pending,
            Status::Sent => &mut self.sent,
            Status::Delivered => &mut self.delivered,
            Status::Failed => &mut self.failed,
        };
        *count += messages;
    }
}

impl CampaignProgress {
    /// How many messages a provider has or had, and that did not fail.
    pub fn sent(&self) -> u64 {
        self.counts.sent + self.counts.delivered
    }

    /// How many contacts it did not reach.
    pub fn failed(&self) -> u64 {
        self.counts.failed + self.campaign.unreachable
    }

    /// How many messages are still to be handed over.
    pub fn queued(&self) -> u64 {
        self.counts.queued + self.counts.pending
    }
}

#[cfg(test)]
mod tests;
