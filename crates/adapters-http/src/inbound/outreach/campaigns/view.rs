//! Campaigns as answers show them.

use std::collections::BTreeMap;

use domain::{
    outreach::campaign::{
        CampaignPreview, CampaignProgress, CampaignStatus, PausedReason, ReasonCount,
        RecipientReason, SampleMessage,
    },
    shared::{id::Id, listed_text, money::CURRENCY, text_format::TextFormat},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    content::issues::IssueView,
    shared::{
        formats::{ChannelName, FailureCodeName, Names, TextFormatName, Timestamp},
        long_text::LongText,
    },
};

type CampaignStatusName = Names<CampaignStatus>;
type PausedReasonName = Names<PausedReason>;
/// Reasons for which recipients were not reached.
pub(super) type ReasonName = Names<RecipientReason>;

/// Text sent to many contacts. `campaign.completed` reports the same ([`CampaignProgress::to_json`]).
#[derive(Serialize, ToSchema)]
#[schema(as = Campaign)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CampaignView {
    id: Uuid,
    #[schema(example = "Sale at Makola")]
    name: String,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    #[schema(value_type = CampaignStatusName)]
    status: &'static str,
    /// Extension: reason for which it is paused, if it is.
    #[schema(value_type = Option<PausedReasonName>)]
    paused_reason: Option<&'static str>,
    template_id: Option<Uuid>,
    segment_id: Option<Uuid>,
    /// Extension: its own subject line.
    #[schema(example = json!(null))]
    subject: Option<String>,
    /// Extension: its own text.
    #[schema(example = "Hello {{firstName}}, sale at Makola this Saturday. Stop: {{unsubscribe}}")]
    body: Option<String>,
    /// Extension: true if `body` is cut. Lists show the first 10,000 characters of a text.
    #[schema(example = false)]
    body_truncated: bool,
    /// Extension: format of its own text; null if not stated.
    #[schema(value_type = Option<TextFormatName>, example = json!(null))]
    format: Option<&'static str>,
    /// Extension: sender that its messages request.
    #[schema(example = json!(null))]
    sender_id: Option<String>,
    /// Extension: metadata of all its messages.
    #[schema(example = json!({ "sale": "makola" }))]
    metadata: BTreeMap<String, String>,
    /// Extension: true if it is rehearsed in the sandbox.
    #[schema(example = false)]
    is_sandbox: bool,
    scheduled_at: Option<Timestamp>,
    /// Number of contacts at its start; null before. Once it is completed, of those that it passed:
    /// `sent`, `skipped` and `failed` add up to it.
    #[schema(example = 1000)]
    audience: Option<u64>,
    /// Extension: number of messages that no provider has yet.
    #[schema(example = 100)]
    queued: u64,
    /// Number of messages that are `SENT` or `DELIVERED`.
    #[schema(example = 880)]
    sent: u64,
    /// Extension: number of messages that are `DELIVERED`.
    #[schema(example = 870)]
    delivered: u64,
    /// Extension: number of contacts to whom nothing was to be sent: they have no address for its
    /// channel, are suppressed, or lack a value that the text needs.
    #[schema(example = 12)]
    skipped: u64,
    /// Number of messages that are `FAILED`, without those of contacts that were skipped.
    #[schema(example = 8)]
    failed: u64,
    /// Extension: number of contacts without an address for its channel. They were skipped.
    #[schema(example = 5)]
    unreachable: u64,
    /// Extension: contacts that were skipped or not reached by the reason, most contacts first.
    by_reason: Vec<ReasonCountView>,
    /// Extension: cost of its messages, without those that were refunded.
    #[schema(example = 30.8)]
    cost: f64,
    /// Extension: the currency of the cost.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Extension: user who created it.
    created_by: Uuid,
    created_at: Timestamp,
    /// Extension: time at which it started.
    started_at: Option<Timestamp>,
    /// Extension: time from which none of its messages waited any more.
    completed_at: Option<Timestamp>,
}

/// Contacts that a campaign skipped or did not reach for one reason.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignReason)]
struct ReasonCountView {
    /// Reason.
    #[schema(value_type = ReasonName)]
    reason: &'static str,
    /// Number of contacts.
    #[schema(example = 7)]
    count: u64,
}

impl From<ReasonCount> for ReasonCountView {
    fn from(count: ReasonCount) -> Self {
        Self { reason: count.reason.as_str(), count: count.count }
    }
}

/// Campaign that was sent.
#[derive(Serialize, ToSchema)]
#[schema(as = SentCampaign)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentCampaignView {
    #[serde(flatten)]
    campaign: CampaignView,
    /// Extension: number of its contacts without a recorded consent, projected from a part of them if
    /// there are more than 2,000; null unless the category is `MARKETING`, and if they could not be
    /// counted in time.
    #[schema(example = 12)]
    without_consent: Option<u64>,
}

impl SentCampaignView {
    pub(super) fn new(progress: CampaignProgress, without_consent: Option<u64>) -> Self {
        Self { campaign: progress.into(), without_consent }
    }
}

/// Expected result of a campaign.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignPreview)]
#[serde(rename_all = "camelCase")]
pub(super) struct CampaignPreviewView {
    /// Number of contacts in its audience.
    #[schema(example = 1000)]
    audience: u64,
    /// Number of these without an address for its channel.
    #[schema(example = 5)]
    unreachable: u64,
    /// Number of others that would get nothing: they lack a value that the text needs, are
    /// suppressed, or cannot be reached by any provider.
    #[schema(example = 15)]
    refused: u64,
    /// Number of contacts without a recorded consent; null unless the category is `MARKETING`.
    #[schema(example = 12)]
    without_consent: Option<u64>,
    /// Number of segments of the messages.
    #[schema(example = 980)]
    segments: u64,
    /// Cost of the messages, in GHS.
    #[schema(example = 34.3)]
    cost: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
    /// True if `unreachable`, `refused`, `withoutConsent`, `segments` and `cost` are projected from a part
    /// of the contacts.
    is_estimate: bool,
    /// Risk score of the text as `MARKETING`, 0 to 100.
    #[schema(example = 0)]
    risk_score: u8,
    /// Issues that were found in it.
    issues: Vec<IssueView>,
    /// True if it would wait for approval.
    requires_approval: bool,
    /// Three of its messages.
    samples: Vec<SampleView>,
}

/// A message as a contact would get it.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignSample)]
#[serde(rename_all = "camelCase")]
struct SampleView {
    contact_id: Uuid,
    #[schema(example = "+233241234567")]
    recipient: String,
    #[schema(example = json!(null))]
    subject: Option<String>,
    /// Text of the message; with its placeholders, if it is not sent.
    #[schema(example = "Hello Ama, sale at Makola this Saturday.")]
    body: String,
    #[schema(example = 1)]
    segments: u16,
    /// Cost, in GHS.
    #[schema(example = 0.035)]
    cost: f64,
    /// Reason for which it would not be sent, if so.
    #[schema(value_type = Option<FailureCodeName>)]
    error_code: Option<&'static str>,
    /// The same reason, for people.
    #[schema(example = json!(null))]
    error_message: Option<String>,
}

impl From<CampaignProgress> for CampaignView {
    fn from(progress: CampaignProgress) -> Self {
        let (queued, sent) = (progress.queued(), progress.sent());
        let (skipped, failed) = (progress.skipped(), progress.failed());
        let by_reason = progress.by_reason().into_iter().map(ReasonCountView::from).collect();
        let CampaignProgress { campaign, counts } = progress;
        Self {
            id: campaign.id.uuid(),
            name: campaign.name,
            channel: campaign.channel.as_str(),
            status: campaign.status.as_str(),
            paused_reason: campaign.paused_reason.map(PausedReason::as_str),
            template_id: campaign.template.map(Id::uuid),
            segment_id: campaign.segment.map(Id::uuid),
            subject: campaign.subject,
            body: campaign.body,
            body_truncated: false,
            format: campaign.format.map(TextFormat::as_str),
            sender_id: campaign.sender,
            metadata: campaign.metadata.into_pairs(),
            is_sandbox: campaign.is_sandbox,
            scheduled_at: campaign.scheduled_at.map(Timestamp::from),
            audience: campaign.audience,
            queued,
            sent,
            delivered: counts.delivered,
            skipped,
            failed,
            unreachable: campaign.unreachable,
            by_reason,
            cost: counts.cost.to_number(),
            currency: CURRENCY,
            created_by: campaign.created_by.uuid(),
            created_at: campaign.created_at.into(),
            started_at: campaign.started_at.map(Timestamp::from),
            completed_at: campaign.completed_at.map(Timestamp::from),
        }
    }
}

impl LongText for CampaignView {
    fn cut_text(&mut self) {
        self.body_truncated = self.body.as_mut().is_some_and(listed_text::cut);
    }
}

impl From<CampaignPreview> for CampaignPreviewView {
    fn from(preview: CampaignPreview) -> Self {
        let without_consent = preview.without_consent();
        let (total, assessment) = (preview.total, preview.assessment);
        Self {
            audience: total.audience,
            unreachable: total.unreachable,
            refused: total.refused,
            without_consent,
            segments: total.segments,
            cost: total.cost.to_number(),
            currency: "GHS",
            is_estimate: preview.is_estimate,
            risk_score: assessment.score,
            requires_approval: !preview.is_sandbox && assessment.requires_approval(),
            issues: assessment.issues.into_iter().map(IssueView::from).collect(),
            samples: preview.samples.into_iter().map(SampleView::from).collect(),
        }
    }
}

impl From<SampleMessage> for SampleView {
    fn from(sample: SampleMessage) -> Self {
        let (draft, failure) = (sample.draft, sample.failure);
        Self {
            contact_id: sample.contact.uuid(),
            recipient: draft.recipient.as_str().to_owned(),
            subject: draft.subject,
            body: draft.body,
            segments: draft.segments,
            cost: sample.cost.to_number(),
            error_code: failure.as_ref().map(|failure| failure.code.as_str()),
            error_message: failure.map(|failure| failure.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        identity::policy::Policy,
        messaging::delivery::FailureCode,
        outreach::campaign::{CampaignCounts, CampaignRequest, FailureCount},
        shared::{channel::Channel, money::Money},
    };

    use super::*;

    #[test]
    fn the_event_of_a_campaign_shows_the_same_as_the_api() {
        let now = DateTime::from_timestamp_nanos(1_700_000_000_120_456_789);
        let request = CampaignRequest {
            name: Some("Sale".into()),
            channel: Some(Channel::Email),
            body: Some("Hello".into()),
            subject: Some("Sale".into()),
            sender: Some("shop".into()),
            segment: Some(Id::floor(now)),
            scheduled_at: Some(now),
            ..CampaignRequest::default()
        };
        let whose = (Id::floor(now), &Policy::default());
        let mut campaign = request.campaign(whose, Id::new(now), now).unwrap();
        campaign.audience = Some(7);
        campaign.unreachable = 1;
        campaign.started_at = Some(now);
        campaign.completed_at = Some(now);
        let counts = CampaignCounts {
            queued: 1,
            pending: 1,
            sent: 2,
            delivered: 1,
            failed: 3,
            failures: vec![
                FailureCount { code: FailureCode::NoRoute, messages: 1 },
                FailureCount { code: FailureCode::RecipientSuppressed, messages: 2 },
            ],
            cost: Money::from_micros(175_000),
        };
        let progress = CampaignProgress { campaign, counts };

        let published = progress.to_json();

        assert_eq!(serde_json::to_value(CampaignView::from(progress)).unwrap(), published);
        assert_eq!(
            (&published["queued"], &published["sent"], &published["skipped"], &published["failed"]),
            (&2.into(), &3.into(), &3.into(), &1.into())
        );
    }
}
