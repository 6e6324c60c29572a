//! Rows of exports.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::messaging::{
    delivery_log::LogFilter,
    log_export::{LogExport, LogExportState, LogExportStatus, LogFile},
    message::Metadata,
};
use ports::shared::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{error::corrupt, schema::log_exports};

#[derive(HasQuery)]
#[diesel(table_name = log_exports)]
pub(super) struct ExportRow {
    id: Uuid,
    organization_id: Uuid,
    created_by: Uuid,
    status: String,
    failure: Option<String>,
    message_status: Option<String>,
    channel: Option<String>,
    recipients: Option<Vec<String>>,
    campaign_id: Option<Uuid>,
    accepted_from: Option<DateTime<Utc>>,
    accepted_to: Option<DateTime<Utc>>,
    event: Option<String>,
    provider: Option<String>,
    error_code: Option<String>,
    is_sandbox: Option<bool>,
    metadata: Option<Value>,
    pub(super) position: Option<Uuid>,
    row_count: i64,
    byte_count: i64,
    pub(super) stored_bytes: i64,
    pub(super) part_count: i32,
    created_at: DateTime<Utc>,
    kept_until: Option<DateTime<Utc>>,
    pub(super) failures: i32,
}

impl TryFrom<ExportRow> for LogExport {
    type Error = StoreError;

    fn try_from(row: ExportRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_export().ok_or_else(|| corrupt("log_exports", id))
    }
}

impl ExportRow {
    fn into_export(self) -> Option<LogExport> {
        Some(LogExport {
            id: self.id.into(),
            organization: self.organization_id.into(),
            created_by: self.created_by.into(),
            state: self.state()?,
            rows: self.row_count.unsigned_abs(),
            created_at: self.created_at,
            filter: self.into_filter()?,
        })
    }

    fn state(&self) -> Option<LogExportState> {
        Some(match self.status.parse().ok()? {
            LogExportStatus::Preparing => LogExportState::Preparing,
            LogExportStatus::Ready => LogExportState::Ready(LogFile {
                bytes: self.byte_count.unsigned_abs(),
                parts: self.part_count.unsigned_abs(),
                kept_until: self.kept_until?,
            }),
            LogExportStatus::Failed => LogExportState::Failed {
                failure: self.failure.as_deref()?.parse().ok()?,
                kept_until: self.kept_until?,
            },
        })
    }

    fn into_filter(self) -> Option<LogFilter> {
        let metadata: Option<Metadata> =
            self.metadata.map(serde_json::from_value).transpose().ok()?;
        Some(LogFilter {
            status: self.message_status.map(|text| text.parse()).transpose().ok()?,
            channel: self.channel.map(|text| text.parse()).transpose().ok()?,
            recipients: self.recipients,
            campaign: self.campaign_id.map(Into::into),
            from: self.accepted_from,
            to: self.accepted_to,
            event: self.event,
            provider: self.provider,
            error_code: self.error_code.map(|text| text.parse()).transpose().ok()?,
            is_sandbox: self.is_sandbox,
            metadata: metadata.unwrap_or_default(),
        })
    }
}
