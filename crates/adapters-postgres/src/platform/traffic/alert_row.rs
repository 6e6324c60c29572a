//! Rows of alerts.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::{
    identity::traffic::{Evidence, OperatorRange, TrafficAlert},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::counts::share;
use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
    schema::traffic_alerts,
};

row! {
    struct StoredRow {
        id: Uuid,
        /// End of the last stop.
        stopped_until: Option<DateTime<Utc>>,
    }
}

#[derive(HasQuery)]
#[diesel(table_name = traffic_alerts)]
pub(super) struct AlertRow {
    organization_id: Uuid,
    id: Uuid,
    operator_range: i32,
    found_at: DateTime<Utc>,
    codes: i64,
    delivered: i64,
    normal_codes: i64,
    normal_delivered: i64,
    others_codes: i64,
    others_delivered: i64,
    others_normal_codes: i64,
    others_normal_delivered: i64,
    other_organizations: i64,
    stopped_until: Option<DateTime<Utc>>,
    lifted_at: Option<DateTime<Utc>>,
    lifted_by: Option<Uuid>,
}

/// Stores an alert, or the newer figures of the one for the same day. A stop is kept until there is
/// another one. Returns the alert as it is stored.
pub(super) async fn raise(
    conn: &mut Connection,
    alert: &TrafficAlert,
) -> Result<TrafficAlert, StoreError> {
    let day: NaiveDate = alert.found_at.date_naive();
    let Evidence { recent, normal, others, others_normal, other_organizations } = alert.evidence;
    let raise = sql!(
        RAISE,
        organization = alert.organization,
        id = alert.id,
        range = alert.range.digits().cast_signed(),
        day,
        found_at = alert.found_at,
        stopped_until = alert.stopped_until,
        codes = recent.codes.cast_signed(),
        delivered = recent.delivered.cast_signed(),
        normal_codes = normal.codes.cast_signed(),
        normal_delivered = normal.delivered.cast_signed(),
        others_codes = others.codes.cast_signed(),
        others_delivered = others.delivered.cast_signed(),
        others_normal_codes = others_normal.codes.cast_signed(),
        others_normal_delivered = others_normal.delivered.cast_signed(),
        other_organizations = other_organizations.cast_signed(),
    );
    let StoredRow { id, stopped_until } = raise.only_row(conn).await?;
    Ok(TrafficAlert { id: Id::of(id), stopped_until, ..alert.clone() })
}

impl From<AlertRow> for TrafficAlert {
    fn from(row: AlertRow) -> Self {
        Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            range: OperatorRange::stored(row.operator_range.unsigned_abs()),
            found_at: row.found_at,
            evidence: Evidence {
                recent: share(row.codes, row.delivered),
                normal: share(row.normal_codes, row.normal_delivered),
                others: share(row.others_codes, row.others_delivered),
                others_normal: share(row.others_normal_codes, row.others_normal_delivered),
                other_organizations: row.other_organizations.unsigned_abs(),
            },
            stopped_until: row.stopped_until,
            lifted_at: row.lifted_at,
            lifted_by: row.lifted_by.map(Id::of),
        }
    }
}

const RAISE: &str = "\
    INSERT INTO traffic_alerts AS kept (organization_id, id, operator_range, day, found_at, \
        stopped_until, codes, delivered, normal_codes, normal_delivered, others_codes, \
        others_delivered, others_normal_codes, others_normal_delivered, \
        other_organizations) \
    VALUES ({organization}, {id}, {range}, {day}, {found_at}, {stopped_until}, {codes}, \
        {delivered}, {normal_codes}, {normal_delivered}, {others_codes}, {others_delivered}, \
        {others_normal_codes}, {others_normal_delivered}, {other_organizations}) \
    ON CONFLICT (organization_id, operator_range, day) DO UPDATE SET \
        codes = EXCLUDED.codes, delivered = EXCLUDED.delivered, \
        normal_codes = EXCLUDED.normal_codes, normal_delivered = EXCLUDED.normal_delivered, \
        others_codes = EXCLUDED.others_codes, others_delivered = EXCLUDED.others_delivered, \
        others_normal_codes = EXCLUDED.others_normal_codes, \
        others_normal_delivered = EXCLUDED.others_normal_delivered, \
        other_organizations = EXCLUDED.other_organizations, \
        stopped_until = coalesce(EXCLUDED.stopped_until, kept.stopped_until), \
        lifted_at = CASE WHEN EXCLUDED.stopped_until IS NULL THEN kept.lifted_at END, \
        lifted_by = CASE WHEN EXCLUDED.stopped_until IS NULL THEN kept.lifted_by END \
    RETURNING id, stopped_until";
