//! Rows of campaigns.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    audience::segment::Rules,
    content::template::{ValueRules, VendorTemplate},
    outreach::campaign::{Campaign, CampaignContent, Confirmation},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{error::corrupt, query::row::row, schema::campaigns};

row! {
    #[derive(HasQuery, Insertable)]
    #[diesel(table_name = campaigns)]
    pub(crate) struct CampaignRow {
        pub(crate) organization_id: Uuid,
        pub(crate) id: Uuid,
        pub(crate) channel: String,
        pub(crate) version: i32,
        pub(crate) status: String,
        pub(crate) paused_reason: Option<String>,
        pub(crate) created_by: Uuid,
        pub(crate) authors: Vec<Uuid>,
        pub(crate) created_at: DateTime<Utc>,
        pub(crate) updated_at: DateTime<Utc>,
        pub(crate) started_at: Option<DateTime<Utc>>,
        pub(crate) completed_at: Option<DateTime<Utc>>,
        pub(crate) audience: Option<i64>,
        pub(crate) unreachable: i64,
        pub(crate) is_sandbox: bool,
        pub(crate) name: String,
        pub(crate) template_id: Option<Uuid>,
        pub(crate) subject: Option<String>,
        pub(crate) body: Option<String>,
        pub(crate) format: Option<String>,
        pub(crate) sender: Option<String>,
        pub(crate) segment_id: Option<Uuid>,
        pub(crate) scheduled_at: Option<DateTime<Utc>>,
        pub(crate) metadata: Option<Value>,
    }
}

/// Columns that an edit changes, except the version.
#[derive(AsChangeset)]
#[diesel(table_name = campaigns, treat_none_as_null = true)]
pub(crate) struct EditRow {
    pub(crate) name: String,
    pub(crate) template_id: Option<Uuid>,
    pub(crate) subject: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) sender: Option<String>,
    pub(crate) segment_id: Option<Uuid>,
    pub(crate) scheduled_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
}

/// Columns of a campaign's confirmation.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = campaigns)]
pub(crate) struct ConfirmationRow {
    pub(crate) content: Option<Value>,
    pub(crate) content_hash: Option<Vec<u8>>,
    pub(crate) rules: Option<Value>,
}

/// Column `content`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentJson {
    category: String,
    subject: Option<String>,
    body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    vendor_template: Option<VendorTemplate>,
    #[serde(default)]
    value_rules: ValueRules,
}

/// Columns of a row, in the order of its fields.
pub(super) const COLUMNS: &str = "\
    organization_id, id, channel, version, status, paused_reason, created_by, authors, created_at, \
    updated_at, started_at, completed_at, audience, unreachable, is_sandbox, name, template_id, \
    subject, body, format, sender, segment_id, scheduled_at, metadata";

/// Returns the columns of a row of a list, with the beginning of its text.
pub(super) fn listed_columns() -> String {
    COLUMNS.replace(" body,", " left(body, ?),")
}

impl From<&Campaign> for CampaignRow {
    fn from(campaign: &Campaign) -> Self {
        let edit = EditRow::from(campaign);
        Self {
            organization_id: campaign.organization.uuid(),
            id: campaign.id.uuid(),
            channel: campaign.channel.as_str().to_owned(),
            version: campaign.version,
            status: campaign.status.as_str().to_owned(),
            paused_reason: campaign.paused_reason.map(|reason| reason.as_str().to_owned()),
            created_by: campaign.created_by.uuid(),
            authors: campaign.authors.iter().map(|author| author.uuid()).collect(),
            created_at: campaign.created_at,
            updated_at: campaign.updated_at,
            started_at: campaign.started_at,
            completed_at: campaign.completed_at,
            audience: campaign.audience.map(u64::cast_signed),
            unreachable: campaign.unreachable.cast_signed(),
            is_sandbox: campaign.is_sandbox,
            name: edit.name,
            template_id: edit.template_id,
            subject: edit.subject,
            body: edit.body,
            format: edit.format,
            sender: edit.sender,
            segment_id: edit.segment_id,
            scheduled_at: edit.scheduled_at,
            metadata: edit.metadata,
        }
    }
}

impl From<&Campaign> for EditRow {
    fn from(campaign: &Campaign) -> Self {
        Self {
            name: campaign.name.clone(),
            template_id: campaign.template.map(Id::uuid),
            subject: campaign.subject.clone(),
            body: campaign.body.clone(),
            format: campaign.format.map(|it| it.as_str().to_owned()),
            sender: campaign.sender.clone(),
            segment_id: campaign.segment.map(Id::uuid),
            scheduled_at: campaign.scheduled_at,
            metadata: (!campaign.metadata.is_empty()).then(|| json!(campaign.metadata)),
        }
    }
}

impl TryFrom<CampaignRow> for Campaign {
    type Error = StoreError;

    fn try_from(row: CampaignRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("campaigns", row.id);
        let paused_reason = row.paused_reason.map(|reason| reason.parse()).transpose();
        let metadata = row.metadata.map(serde_json::from_value).transpose();
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            name: row.name,
            channel: row.channel.parse().map_err(|_| corrupt())?,
            template: row.template_id.map(Id::of),
            subject: row.subject,
            body: row.body,
            format: row.format.map(|it| it.parse()).transpose().map_err(|_| corrupt())?,
            sender: row.sender,
            metadata: metadata.map_err(|_| corrupt())?.unwrap_or_default(),
            is_sandbox: row.is_sandbox,
            segment: row.segment_id.map(Id::of),
            scheduled_at: row.scheduled_at,
            version: row.version,
            status: row.status.parse().map_err(|_| corrupt())?,
            paused_reason: paused_reason.map_err(|_| corrupt())?,
            created_by: row.created_by.into(),
            authors: row.authors.into_iter().map(Id::of).collect(),
            created_at: row.created_at,
            updated_at: row.updated_at,
            started_at: row.started_at,
            completed_at: row.completed_at,
            audience: row.audience.map(i64::unsigned_abs),
            unreachable: row.unreachable.unsigned_abs(),
        })
    }
}

impl From<&Confirmation> for ConfirmationRow {
    fn from(confirmation: &Confirmation) -> Self {
        let content = confirmation.content.clone();
        let content = ContentJson {
            category: content.category.as_str().to_owned(),
            subject: content.subject,
            body: content.body,
            format: content.format.map(|it| it.as_str().to_owned()),
            vendor_template: content.vendor_template,
            value_rules: content.value_rules,
        };
        Self {
            content: Some(json!(content)),
            content_hash: Some(confirmation.hash.to_vec()),
            rules: confirmation.rules.as_ref().map(|rules| rules.source().clone()),
        }
    }
}

impl ConfirmationRow {
    /// Returns the confirmation of the campaign `id`; `None` if it is not confirmed.
    pub(crate) fn confirmation(self, id: Uuid) -> Result<Option<Confirmation>, StoreError> {
        let corrupt = || corrupt("campaigns", id);
        let (Some(content), Some(hash)) = (self.content, self.content_hash) else {
            return Ok(None);
        };
        let content: ContentJson = serde_json::from_value(content).map_err(|_| corrupt())?;
        let content = CampaignContent {
            category: content.category.parse().map_err(|_| corrupt())?,
            subject: content.subject,
            body: content.body,
            format: content.format.map(|it| it.parse()).transpose().map_err(|_| corrupt())?,
            vendor_template: content.vendor_template,
            value_rules: content.value_rules,
        };
        let rules = self.rules.map(Rules::parse).transpose().map_err(|_| corrupt())?;
        let hash = hash.try_into().map_err(|_| corrupt())?;
        Ok(Some(Confirmation { content, hash, rules }))
    }
}
