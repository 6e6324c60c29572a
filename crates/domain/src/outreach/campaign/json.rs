//! Campaigns as JSON, for the API and for webhooks.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{CampaignProgress, PausedReason, ReasonCount};
use crate::shared::{id::Id, money::CURRENCY, text_format::TextFormat};

impl CampaignProgress {
    /// Returns the public fields of a campaign, with its whole text.
    pub fn to_json(&self) -> Value {
        let campaign = &self.campaign;
        let reasons: Vec<Value> = self.by_reason().into_iter().map(reason).collect();
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
        json!({
            "id": campaign.id.uuid(),
            "name": campaign.name,
            "channel": campaign.channel.as_str(),
            "status": campaign.status.as_str(),
            "pausedReason": campaign.paused_reason.map(PausedReason::as_str),
            "templateId": campaign.template.map(Id::uuid),
            "segmentId": campaign.segment.map(Id::uuid),
            "subject": campaign.subject,
            "body": campaign.body,
            "bodyTruncated": false,
            "format": campaign.format.map(TextFormat::as_str),
            "senderId": campaign.sender,
            "metadata": campaign.metadata,
            "isSandbox": campaign.is_sandbox,
            "scheduledAt": campaign.scheduled_at.map(time),
            "audience": campaign.audience,
            "queued": self.queued(),
            "sent": self.sent(),
            "delivered": self.counts.delivered,
            "skipped": self.skipped(),
            "failed": self.failed(),
            "unreachable": campaign.unreachable,
            "byReason": reasons,
            "cost": self.counts.cost.to_number(),
            "currency": CURRENCY,
            "createdBy": campaign.created_by.uuid(),
            "createdAt": time(campaign.created_at),
            "startedAt": campaign.started_at.map(time),
            "completedAt": campaign.completed_at.map(time),
        })
    }
}

fn reason(reason: ReasonCount) -> Value {
    json!({ "reason": reason.reason.as_str(), "count": reason.count })
}
