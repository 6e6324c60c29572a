//! Rows of segments.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::audience::segment::{CountedSegment, Rules, Segment};
use ports::shared::store::StoreError;
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{error::corrupt, schema::segments};

/// Row of a segment, for reading.
#[derive(HasQuery)]
#[diesel(table_name = segments)]
pub(crate) struct SegmentRow {
    pub(super) organization_id: Uuid,
    pub(super) id: Uuid,
    name: String,
    description: Option<String>,
    rules: Value,
    is_dynamic: bool,
    created_at: DateTime<Utc>,
    contact_count: i64,
    counted_at: DateTime<Utc>,
}

/// Row of a segment, for writing.
#[derive(Insertable)]
#[diesel(table_name = segments)]
pub(super) struct NewSegmentRow {
    pub(super) organization_id: Uuid,
    pub(super) id: Uuid,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) rules: Value,
    pub(super) is_dynamic: bool,
    pub(super) created_at: DateTime<Utc>,
    pub(super) contact_count: i64,
}

impl From<&Segment> for NewSegmentRow {
    fn from(segment: &Segment) -> Self {
        Self {
            organization_id: segment.organization.uuid(),
            id: segment.id.uuid(),
            name: segment.name.clone(),
            description: segment.description.clone(),
            rules: segment.rules.source().clone(),
            is_dynamic: segment.is_dynamic,
            created_at: segment.created_at,
            contact_count: 0,
        }
    }
}

impl TryFrom<SegmentRow> for CountedSegment {
    type Error = StoreError;

    fn try_from(row: SegmentRow) -> Result<Self, StoreError> {
        let rules = Rules::parse(row.rules).map_err(|_| corrupt("segments", row.id))?;
        let segment = Segment {
            id: row.id.into(),
            organization: row.organization_id.into(),
            name: row.name,
            description: row.description,
            rules,
            is_dynamic: row.is_dynamic,
            created_at: row.created_at,
        };
        let (contacts, counted_at) = (row.contact_count.unsigned_abs(), row.counted_at);
        Ok(Self { segment, contacts, counted_at })
    }
}
