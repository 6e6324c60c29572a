//! Campaigns: one text to many contacts.
//!
//! ```
//! use chrono::{DateTime, TimeDelta};
//! use domain::outreach::campaign::CampaignAction;
//!
//! let now = DateTime::UNIX_EPOCH;
//! let later = CampaignAction::go(Some(now + TimeDelta::hours(1)), now);
//! assert_eq!(later.target().as_str(), "SCHEDULED");
//! ```

mod content;
mod copy;
mod counts;
mod json;
mod preview;
mod recipient;
mod request;
mod status;
mod writer;

use crate::messaging::message::CampaignId;
use chrono::{DateTime, Utc};

use self::request::check_sender;
pub use self::{
    content::CampaignContent,
    counts::{CampaignCounts, CampaignProgress, FailureCount, ReasonCount},
    preview::{
        CampaignPreview, CampaignRefusals, CampaignTotal, PREVIEWED_EXACTLY, SAMPLES, SampleMessage,
    },
    recipient::{
        CampaignRecipient, RecipientFilter, RecipientOutcome, RecipientPlace, RecipientReason,
        RecipientsOf, SelectedMessages, UnknownRecipientName,
    },
    request::{CampaignRequest, CampaignUpdate},
    status::{CampaignAction, CampaignStatus, PausedReason},
    writer::{CampaignMessage, CampaignWriter},
};
use crate::{
    audience::segment::{Rules, Segment},
    content::{
        approval::{Approval, ApprovalContent, ApprovalKind},
        compliance::Sending,
        template::Template,
    },
    identity::{
        organization::{Organization, WaysOut},
        policy::Policy,
        user::User,
    },
    messaging::message::Metadata,
    shared::{channel::Channel, fault::Faults, id::Id, text_format::TextFormat},
};

/// Maximum number of unfinished campaigns of an organization.
pub const MAX_UNFINISHED: u64 = 1_000;
/// Number of days after which a campaign that was paused by a user or for lack of balance is cancelled.
pub const MAX_PAUSED_DAYS: i64 = 30;

/// One text to many contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Campaign {
    /// Identifier of the campaign.
    pub id: CampaignId,
    /// Organization that it belongs to.
    pub organization: Id<Organization>,
    /// Name for people.
    pub name: String,
    /// Channel of its messages.
    pub channel: Channel,
    /// Template whose text it sends; `None` if it has a text of its own.
    pub template: Option<Id<Template>>,
    /// Its own subject line, with placeholders.
    pub subject: Option<String>,
    /// Its own text, with placeholders.
    pub body: Option<String>,
    /// Format of its own text; `None` if not specified.
    pub format: Option<TextFormat>,
    /// Sender that its messages request.
    pub sender: Option<String>,
    /// Pairs by which the organization's systems know its messages; they are not sent.
    pub metadata: Metadata,
    /// True if it is rehearsed: its messages go to the sandbox.
    pub is_sandbox: bool,
    /// Segment that it is for; `None` for all contacts.
    pub segment: Option<Id<Segment>>,
    /// Time at which it starts; if `None` or in the past, it starts on confirmation.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// Number of edits plus one.
    pub version: i32,
    /// Progress of the campaign.
    pub status: CampaignStatus,
    /// Reason for the pause; `None` unless it is paused.
    pub paused_reason: Option<PausedReason>,
    /// User who created it.
    pub created_by: Id<User>,
    /// Users who created or edited it, each once.
    pub authors: Vec<Id<User>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last edit or change of status.
    pub updated_at: DateTime<Utc>,
    /// Time at which it started.
    pub started_at: Option<DateTime<Utc>>,
    /// Time at which it was completed.
    pub completed_at: Option<DateTime<Utc>>,
    /// Number of contacts when it started; once it is completed, of those that it passed.
    pub audience: Option<u64>,
    /// Number of those contacts without an address for its channel.
    pub unreachable: u64,
}

/// The state of a campaign that was confirmed for sending. Later edits of its template or of its
/// segment's rules do not change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// Confirmed content.
    pub content: CampaignContent,
    /// SHA-256 of the content.
    pub hash: [u8; 32],
    /// Rules of its segment; `None` unless the segment is dynamic.
    pub rules: Option<Rules>,
}

impl Campaign {
    /// Returns its sending by an organization that has these ways out of its promotion.
    pub fn sending<'a>(&'a self, ways_out: &'a WaysOut) -> Sending<'a> {
        Sending {
            ways_out: Some(ways_out),
            channel: Some(self.channel),
            sender: self.sender.as_deref(),
        }
    }

    /// Returns everything that is wrong with its sender under the policy, which may have changed since.
    pub fn sender_faults(&self, policy: &Policy) -> Faults {
        let mut faults = Faults::default();
        if let Some(sender) = &self.sender {
            faults.take("senderId", check_sender(self.channel, sender, policy));
        }
        faults
    }
}

impl Confirmation {
    /// Returns the approval that `author` has to request for the confirmed content; `None` if it
    /// needs none, as in the sandbox, where nobody receives it. The authors of a text may not decide
    /// about it.
    pub fn needed_approval(
        &self,
        campaign: &Campaign,
        author: Id<User>,
        ways_out: &WaysOut,
        now: DateTime<Utc>,
    ) -> Option<Approval> {
        let assessment = self.content.assess(campaign.sending(ways_out));
        if campaign.is_sandbox || !assessment.requires_approval() {
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

#[cfg(test)]
mod tests;
