//! Rows of triggers.

use chrono::TimeDelta;
use diesel::prelude::*;
use domain::{
    content::template::FilledTemplate,
    messaging::{
        delivery::FailureCode,
        message::{Draft, MaskedTexts, Metadata},
        retry::RetryRules,
    },
    outreach::{
        event::Wait,
        trigger::{ChannelState, Trigger, TriggerChannel},
    },
    shared::{
        address::Address, channel::Channel, country::Country, id::Id, text_format::TextFormat,
    },
};
use ports::shared::store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{error::corrupt, query::row::row, schema::triggers};

row! {
    /// Columns that are read.
    #[derive(HasQuery)]
    #[diesel(table_name = triggers)]
    pub(super) struct TriggerRow {
        organization_id: Uuid,
        id: Uuid,
        event: String,
        is_sandbox: bool,
        channels: Value,
        drafts: Value,
        after_seconds: Option<i32>,
        until_status: String,
    }
}

/// Channel in the column `channels`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptChannel {
    channel: Channel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message_id: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<FailureCode>,
}

/// Draft in the column `drafts`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptDraft {
    channel: Channel,
    recipient: Address,
    country: String,
    category: String,
    sender: Option<String>,
    subject: Option<String>,
    body: String,
    segments: u16,
    template: Option<Uuid>,
    vendor_template: Option<FilledTemplate>,
    validity_seconds: i64,
    retry_rules: Option<RetryRules>,
    #[serde(default)]
    is_html: bool,
    #[serde(default)]
    is_open: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    masked: Option<MaskedTexts>,
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    metadata: Metadata,
}

impl From<&TriggerChannel> for KeptChannel {
    fn from(it: &TriggerChannel) -> Self {
        let (message_id, skipped) = match it.state {
            ChannelState::Tried(message) => (Some(message.uuid()), None),
            ChannelState::Skipped(code) => (None, Some(code)),
            ChannelState::Left => (None, None),
        };
        Self { channel: it.channel, message_id, skipped }
    }
}

impl From<KeptChannel> for TriggerChannel {
    fn from(kept: KeptChannel) -> Self {
        let state = match (kept.message_id, kept.skipped) {
            (Some(message), _) => ChannelState::Tried(Id::of(message)),
            (None, Some(code)) => ChannelState::Skipped(code),
            (None, None) => ChannelState::Left,
        };
        Self { channel: kept.channel, state }
    }
}

impl From<&Draft> for KeptDraft {
    fn from(draft: &Draft) -> Self {
        Self {
            channel: draft.channel,
            recipient: draft.recipient.clone(),
            country: draft.country.to_string(),
            category: draft.category.to_string(),
            sender: draft.sender.clone(),
            subject: draft.subject.clone(),
            body: draft.body.clone(),
            segments: draft.segments,
            template: draft.template.map(Id::uuid),
            vendor_template: draft.vendor_template.clone(),
            validity_seconds: draft.validity.num_seconds(),
            retry_rules: draft.retry_rules,
            is_html: draft.format == TextFormat::Html,
            is_open: draft.is_open,
            masked: draft.masked.clone(),
            metadata: draft.metadata.clone(),
        }
    }
}

impl KeptDraft {
    /// Converts the draft; `None` if it is invalid.
    fn into_draft(self) -> Option<Draft> {
        Some(Draft {
            channel: self.channel,
            recipient: self.recipient,
            country: Country::parse_destination(&self.country).ok()?,
            category: self.category.parse().ok()?,
            sender: self.sender,
            subject: self.subject,
            body: self.body,
            format: if self.is_html { TextFormat::Html } else { TextFormat::Text },
            is_open: self.is_open,
            masked: self.masked,
            segments: self.segments,
            template: self.template.map(Id::of),
            vendor_template: self.vendor_template,
            validity: TimeDelta::try_seconds(self.validity_seconds)?,
            retry_rules: self.retry_rules,
            metadata: self.metadata,
        })
    }
}

impl TryFrom<TriggerRow> for Trigger {
    type Error = StoreError;

    fn try_from(row: TriggerRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_trigger().ok_or_else(|| corrupt("triggers", id))
    }
}

impl TriggerRow {
    fn into_trigger(self) -> Option<Trigger> {
        let channels: Vec<KeptChannel> = serde_json::from_value(self.channels).ok()?;
        let drafts: Vec<KeptDraft> = serde_json::from_value(self.drafts).ok()?;
        Some(Trigger {
            id: self.id.into(),
            organization: self.organization_id.into(),
            event: self.event,
            is_sandbox: self.is_sandbox,
            channels: channels.into_iter().map(TriggerChannel::from).collect(),
            left: drafts.into_iter().map(KeptDraft::into_draft).collect::<Option<_>>()?,
            wait: Wait {
                after: self.after_seconds.map(|seconds| TimeDelta::seconds(seconds.into())),
                until: self.until_status.parse().ok()?,
            },
        })
    }
}
