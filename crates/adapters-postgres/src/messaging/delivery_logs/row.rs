//! Rows of the delivery log.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    expression::SqlLiteral,
    prelude::*,
    sql_types::{self, Jsonb, Nullable, Text, Timestamptz},
};
use domain::{
    messaging::{
        delivery::{Delivery, Failure, Status},
        message::{Draft, Message, Source},
        priority::Priority,
        retry,
    },
    shared::{address::Address, country::Country, money::Money},
};
use ports::shared::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use super::text_notes::TextNotes;
use crate::shared::{error::corrupt, schema::delivery_logs};

/// Row of `delivery_logs`.
#[derive(Debug, Clone, HasQuery)]
#[diesel(table_name = delivery_logs)]
pub(crate) struct MessageRow {
    pub(crate) id: Uuid,
    pub(crate) organization_id: Uuid,
    pub(crate) channel: String,
    pub(crate) status: String,
    pub(crate) recipient: String,
    pub(crate) country_code: String,
    pub(crate) category: String,
    pub(crate) priority: i16,
    pub(crate) sender: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) body: String,
    pub(crate) segments: i16,
    pub(crate) template_id: Option<Uuid>,
    pub(crate) cost_micros: i64,
    pub(crate) is_sandbox: bool,
    pub(crate) is_confidential: bool,
    pub(crate) provider: Option<String>,
    pub(crate) attempts: Value,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    pub(crate) vendor_code: Option<String>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) sent_at: Option<DateTime<Utc>>,
    pub(crate) delivered_at: Option<DateTime<Utc>>,
    pub(crate) failed_at: Option<DateTime<Utc>>,
    pub(crate) vendor_template: Option<Value>,
    pub(crate) expires_at: Option<DateTime<Utc>>,
    pub(crate) campaign_id: Option<Uuid>,
    pub(crate) trigger_id: Option<Uuid>,
    pub(crate) retry_rules: Option<Value>,
    pub(crate) valid_from: Option<DateTime<Utc>>,
    #[diesel(
        select_expression = RareColumns::expression(),
        select_expression_type = SqlLiteral<RareTypes>
    )]
    rare: RareColumns,
}

/// Columns that few messages have.
///
/// Diesel reads them as one value: it takes three times as long to compile when a table has more than
/// 32 columns.
#[derive(Debug, Clone, Queryable)]
pub(crate) struct RareColumns {
    text_notes: Option<Value>,
    resent_from: Option<Uuid>,
    metadata: Option<Value>,
    scheduled_at: Option<DateTime<Utc>>,
    event: Option<String>,
    contact_id: Option<Uuid>,
}

pub(crate) type RareTypes = (
    Nullable<Jsonb>,
    Nullable<sql_types::Uuid>,
    Nullable<Jsonb>,
    Nullable<Timestamptz>,
    Nullable<Text>,
    Nullable<sql_types::Uuid>,
);

impl RareColumns {
    fn expression() -> SqlLiteral<RareTypes> {
        sql("text_notes, resent_from, metadata, scheduled_at, event, contact_id")
    }
}

impl TryFrom<MessageRow> for Message {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_message().ok_or_else(|| corrupt("delivery_logs", id))
    }
}

impl MessageRow {
    /// Columns for a list, which does not need the values of a vendor's template.
    pub(super) const LISTED: &'static str = "\
        id, organization_id, channel, status, recipient, country_code, category, priority, sender, \
        subject, left(body, ?), segments, template_id, cost_micros, is_sandbox, is_confidential, \
        provider, attempts, error_code, error_message, vendor_code, created_at, sent_at, \
        delivered_at, failed_at, NULL::jsonb, expires_at, campaign_id, trigger_id, retry_rules, \
        valid_from, coalesce(jsonb_set(text_notes, '{masked,body}', \
            to_jsonb(left(text_notes #>> '{masked,body}', ?)), false), text_notes), \
        resent_from, metadata, scheduled_at, event, contact_id";

    /// Converts the row; `None` if the columns are invalid or contradict each other.
    fn into_message(mut self) -> Option<Message> {
        let delivery = self.delivery()?;
        let vendor_template = self.vendor_template.map(serde_json::from_value);
        let retry_rules = self.retry_rules.take().map(serde_json::from_value);
        let metadata = self.rare.metadata.take().map(serde_json::from_value);
        let category = self.category.parse().ok()?;
        let valid_from = self.valid_from.or(self.rare.scheduled_at).unwrap_or(self.created_at);
        let expires_at = self.expires_at.unwrap_or_else(|| valid_from + retry::validity(category));
        let channel = self.channel.parse().ok()?;
        let notes = TextNotes::read(self.rare.text_notes.take())?;
        let (format, trace) = (notes.format(channel, &self.body), notes.trace());
        Some(Message {
            id: self.id.into(),
            organization: self.organization_id.into(),
            draft: Arc::new(Draft {
                channel,
                recipient: Address::stored(self.recipient),
                country: Country::parse_destination(&self.country_code).ok()?,
                category,
                sender: self.sender,
                subject: self.subject,
                body: self.body,
                format,
                is_open: notes.is_open,
                masked: notes.masked,
                segments: self.segments.try_into().ok()?,
                template: self.template_id.map(Into::into),
                vendor_template: vendor_template.transpose().ok()?,
                validity: expires_at - valid_from,
                retry_rules: retry_rules.transpose().ok()?,
                metadata: metadata.transpose().ok()?.unwrap_or_default(),
            }),
            priority: Priority::ranked(self.priority)?,
            source: match (self.campaign_id, self.trigger_id) {
                (Some(campaign), _) => Some(Source::Campaign(campaign.into())),
                (None, trigger) => trigger.map(|id| Source::Trigger(id.into())),
            },
            event: self.rare.event,
            contact: self.rare.contact_id.map(Into::into),
            resent_from: self.rare.resent_from.map(Into::into),
            scheduled_at: self.rare.scheduled_at,
            trace,
            cost: Money::from_micros(self.cost_micros),
            is_sandbox: self.is_sandbox,
            is_confidential: self.is_confidential,
            delivery,
            provider: self.provider,
            attempts: serde_json::from_value(self.attempts).ok()?,
            valid_from,
            expires_at,
            created_at: self.created_at,
        })
    }

    fn delivery(&mut self) -> Option<Delivery> {
        let code = self.error_code.as_ref().map(|code| code.parse()).transpose().ok()?;
        let failure = code.map(|code| Failure {
            code,
            message: self.error_message.take().unwrap_or_default(),
            vendor_code: self.vendor_code.take(),
        });
        Some(match self.status.parse().ok()? {
            Status::Queued => Delivery::Queued { last_failure: failure },
            Status::Pending => Delivery::Pending { doubt: failure },
            Status::Sent => match failure {
                Some(failure) => Delivery::Unreported { at: self.sent_at?, failure },
                None => Delivery::Sent { at: self.sent_at? },
            },
            Status::Delivered => {
                Delivery::Delivered { sent_at: self.sent_at, at: self.delivered_at? }
            }
            Status::Failed => {
                Delivery::Failed { sent_at: self.sent_at, at: self.failed_at?, failure: failure? }
            }
        })
    }
}
